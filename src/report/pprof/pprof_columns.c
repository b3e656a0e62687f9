// Sample types are in the order that readers know from Go: objects before space,
// allocated before in use.
//
// The variance of space is in KiB^2, because in bytes^2 that of some terabytes would not
// fit.  All errors are such that readers may add them up as they add up values.  The
// sample types of inputs that are not metrics are between the estimates and the errors.
#include "report/pprof/pprof_columns.h"

#include "view/rounding.h"

// Names that Go uses for sample types.
static const char *const usual[HP_METRICS] = {
    [HP_ALLOC_OBJECTS] = "alloc_objects",
    [HP_ALLOC_SPACE] = "alloc_space",
    [HP_INUSE_OBJECTS] = "inuse_objects",
    [HP_INUSE_SPACE] = "inuse_space",
};

// Names that Datadog uses for sample types.
static const char *const datadogs[HP_METRICS] = {
    [HP_ALLOC_OBJECTS] = "alloc-samples",
    [HP_ALLOC_SPACE] = "alloc-space",
    [HP_INUSE_OBJECTS] = "inuse-objects",
    [HP_INUSE_SPACE] = "inuse-space",
};

// Add a column that is computed from the sums of a metric, not of a sample type.
static void add(struct hp_pprof_columns *columns, const char *type, const char *unit,
                enum hp_metric metric, enum hp_pprof_value value) {
    struct hp_pprof_column column = {hp_span_of(type), hp_span_of(unit), metric, value,
                                     0};
    hp_vec_push(&columns->of, column);
}

// Add the columns of errors for each kind of space whose errors are known.
static void add_errors(struct hp_pprof_columns *columns, const struct hp_view *view) {
    if (hp_view_whole_has_metric(view, HP_ALLOC_SPACE) &&
        hp_view_whole_has_errors(view, HP_COLUMN_ALLOC)) {
        add(columns, "alloc_space_variance", "KiB^2", HP_ALLOC_SPACE, HP_PPROF_VARIANCE);
        add(columns, "alloc_space_hidden", "bytes", HP_ALLOC_SPACE, HP_PPROF_HIDDEN);
        add(columns, "alloc_space_excess", "bytes", HP_ALLOC_SPACE, HP_PPROF_EXCESS);
        add(columns, "alloc_space_certain", "bytes", HP_ALLOC_SPACE, HP_PPROF_CERTAIN);
    }
    if (hp_view_whole_has_metric(view, HP_INUSE_SPACE) &&
        hp_view_whole_has_errors(view, HP_COLUMN_INUSE)) {
        add(columns, "inuse_space_variance", "KiB^2", HP_INUSE_SPACE, HP_PPROF_VARIANCE);
        add(columns, "inuse_space_hidden", "bytes", HP_INUSE_SPACE, HP_PPROF_HIDDEN);
        add(columns, "inuse_space_excess", "bytes", HP_INUSE_SPACE, HP_PPROF_EXCESS);
        add(columns, "inuse_space_certain", "bytes", HP_INUSE_SPACE, HP_PPROF_CERTAIN);
    }
}

bool hp_pprof_has_errors(const struct hp_view *view) {
    return view->options.pprof.with_error && !view->report->has_sides;
}

// Whether a column with this type (its name) exists.
static bool has_column(const struct hp_pprof_columns *columns, struct hp_span type) {
    bool found = false;
    const struct hp_pprof_column *column;
    hp_vec_each (column, &columns->of) {
        found |= hp_span_equal(column->type, type);
    }
    return found;
}

// Add the sample types of the inputs that are not metrics, then the errors.  Errors that
// an earlier merge wrote are dropped if the errors of all inputs are written.
static void add_types(struct hp_pprof_columns *columns, const struct hp_view *view) {
    const struct hp_sample_types *types = hp_view_types(view);
    struct hp_pprof_columns errors = {0};
    if (hp_pprof_has_errors(view)) {
        add_errors(&errors, view);
    }
    for (size_t i = 0; i < types->of.count; i++) {
        const struct hp_sample_type *type = &types->of.at[i];
        struct hp_span name = hp_view_string(view, type->type);
        if (!has_column(&errors, name)) {
            struct hp_pprof_column column = {name, hp_view_string(view, type->unit),
                                             type->in_place_of, HP_PPROF_ESTIMATE, i + 1};
            hp_vec_push(&columns->of, column);
        }
    }
    columns->estimates = columns->of.count;
    hp_vec_append(&columns->of, errors.of.at, errors.of.count);
    hp_vec_done(&errors.of);
}

void hp_pprof_columns_init(struct hp_pprof_columns *columns, const struct hp_view *view) {
    static const enum hp_metric order[] = {HP_ALLOC_OBJECTS, HP_ALLOC_SPACE,
                                           HP_INUSE_OBJECTS, HP_INUSE_SPACE};

    const char *const *names =
        view->options.pprof.flavor == HP_FLAVOR_DATADOG ? datadogs : usual;
    *columns = (struct hp_pprof_columns){0};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        // A missing metric would be read as 0.
        if (hp_view_whole_has_metric(view, order[i])) {
            add(columns, names[order[i]], i % 2 ? "bytes" : "count", order[i],
                HP_PPROF_ESTIMATE);
        }
    }
    bool has_types = hp_view_types(view)->of.count > 0;
    // No input has a metric or another sample type, but readers need one column at least.
    if (columns->of.count == 0 && !has_types) {
        add(columns, names[HP_INUSE_SPACE], "bytes", HP_INUSE_SPACE, HP_PPROF_ESTIMATE);
    }
    add_types(columns, view);
}

// --- the default ----------------------------------------------------------------------------

// Find a column of estimates by its usual name, that of Go, or a sample type by its own
// name; NULL if there is none.
static const struct hp_pprof_column *find(const struct hp_pprof_columns *columns,
                                          struct hp_span type) {
    for (size_t i = 0; i < columns->estimates; i++) {
        const struct hp_pprof_column *column = &columns->of.at[i];
        bool is_it = column->sums > 0 ? hp_span_equal(column->type, type)
                                      : hp_span_is(type, usual[column->metric]);
        if (is_it) {
            return column;
        }
    }
    return NULL;
}

struct hp_span hp_pprof_default_type(const struct hp_pprof_columns *columns,
                                     const struct hp_view *view) {
    const struct hp_annotation *shown;
    const struct hp_pprof_column *found = NULL;
    size_t count =
        hp_annotations_of(hp_view_annotations(view), HP_ANNOTATION_DEFAULT_TYPE, &shown);
    bool is_asked = view->options.metric_name || view->options.metric != HP_INUSE_SPACE;
    if (view->type) {
        return hp_view_string(view, view->type->type);
    }
    if (count == 1 && !is_asked) {
        found = find(columns, hp_view_string(view, shown->text));
    }
    found = found ? found : find(columns, hp_span_of(usual[view->options.metric]));
    return found ? found->type : columns->of.at[columns->estimates - 1].type;
}

// --- numbers --------------------------------------------------------------------------------

// The exact value of a stack in a column, in units of 2^-HP_SPACE_FRACTION, or
// 2^-HP_OBJECTS_FRACTION for objects.  The variance needs no shift: its unit is KiB^2.
static hp_fixed exact(const struct hp_pprof_column *column,
                      const struct hp_stack_sums *sums, size_t stack) {
    _Static_assert(HP_SPACE_FRACTION == 20, "KiB^2 are 2^20 bytes^2");
    if (column->value == HP_PPROF_ESTIMATE) {
        return sums->values[stack].of[column->metric];
    }
    const struct hp_error *error =
        hp_stack_sums_error(sums, stack, hp_column_of(column->metric));
    switch (column->value) {
    case HP_PPROF_HIDDEN:
        return (hp_fixed)error->hidden_bytes_max << HP_SPACE_FRACTION;
    case HP_PPROF_EXCESS:
        return (hp_fixed)error->excess_bytes_max << HP_SPACE_FRACTION;
    case HP_PPROF_CERTAIN:
        return (hp_fixed)error->observed_bytes << HP_SPACE_FRACTION;
    case HP_PPROF_VARIANCE:
    case HP_PPROF_ESTIMATE: // handled above
        break;
    }
    return error->variance;
}

int64_t *hp_pprof_round(const struct hp_pprof_columns *columns, const uint32_t *stacks,
                        size_t count, const struct hp_stack_sums *sums, bool *too_big) {
    size_t width = columns->of.count;
    int64_t *rounded = hp_alloc(count * width * sizeof *rounded);
    hp_fixed *parts = hp_alloc(count * sizeof *parts);
    hp_int128 *whole = hp_alloc(count * sizeof *whole);
    for (size_t k = 0; k < width; k++) {
        const struct hp_pprof_column *column = &columns->of.at[k];
        for (size_t i = 0; i < count; i++) {
            parts[i] = exact(column, &sums[column->sums], stacks[i]);
        }
        hp_round_to_total(parts, count, column->metric, whole);
        for (size_t i = 0; i < count; i++) {
            *too_big |= whole[i] > INT64_MAX || whole[i] < -INT64_MAX;
            rounded[i * width + k] = (int64_t)whole[i];
        }
    }
    free(parts);
    free(whole);
    return rounded;
}
