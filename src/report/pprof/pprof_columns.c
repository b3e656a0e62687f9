// Sample types are in the order that readers know from Go: objects before space, the whole
// time before what is in use.
//
// The variance of space has the unit KiB^2: in bytes^2 that of some terabytes would not fit.
// All errors are such that readers may add them up as they add up the values.
#include "report/pprof/pprof_columns.h"

#include "view/rounding.h"

// As Go calls them.
static const char *const usual[HP_METRICS] = {
    [HP_ALLOC_OBJECTS] = "alloc_objects",
    [HP_ALLOC_SPACE] = "alloc_space",
    [HP_INUSE_OBJECTS] = "inuse_objects",
    [HP_INUSE_SPACE] = "inuse_space",
};

static const char *const datadogs[HP_METRICS] = {
    [HP_ALLOC_OBJECTS] = "alloc-samples",
    [HP_ALLOC_SPACE] = "alloc-space",
    [HP_INUSE_OBJECTS] = "inuse-objects",
    [HP_INUSE_SPACE] = "inuse-space",
};

static void add(struct hp_pprof_columns *columns, const char *type, const char *unit,
                enum hp_metric metric, enum hp_pprof_value value) {
    columns->of[columns->count++] = (struct hp_pprof_column){type, unit, metric, value};
}

static void add_errors(struct hp_pprof_columns *columns, const struct hp_view *view) {
    if (hp_view_has_metric(view, HP_ALLOC_SPACE) &&
        hp_view_has_errors(view, HP_COLUMN_ALLOC)) {
        add(columns, "alloc_space_variance", "KiB^2", HP_ALLOC_SPACE, HP_PPROF_VARIANCE);
        add(columns, "alloc_space_hidden", "bytes", HP_ALLOC_SPACE, HP_PPROF_HIDDEN);
        add(columns, "alloc_space_certain", "bytes", HP_ALLOC_SPACE, HP_PPROF_CERTAIN);
    }
    if (hp_view_has_metric(view, HP_INUSE_SPACE) &&
        hp_view_has_errors(view, HP_COLUMN_INUSE)) {
        add(columns, "inuse_space_variance", "KiB^2", HP_INUSE_SPACE, HP_PPROF_VARIANCE);
        add(columns, "inuse_space_hidden", "bytes", HP_INUSE_SPACE, HP_PPROF_HIDDEN);
        add(columns, "inuse_space_certain", "bytes", HP_INUSE_SPACE, HP_PPROF_CERTAIN);
    }
}

bool hp_pprof_has_errors(const struct hp_view *view) {
    return view->options.with_error && view->options.kind != HP_REPORT_DIFF;
}

void hp_pprof_columns_init(struct hp_pprof_columns *columns, const struct hp_view *view) {
    static const enum hp_metric order[] = {HP_ALLOC_OBJECTS, HP_ALLOC_SPACE,
                                           HP_INUSE_OBJECTS, HP_INUSE_SPACE};

    const char *const *names =
        view->options.flavor == HP_FLAVOR_DATADOG ? datadogs : usual;
    columns->count = 0;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (hp_view_has_metric(view, order[i])) { // else it would be read as 0
            add(columns, names[order[i]], i % 2 ? "bytes" : "count", order[i],
                HP_PPROF_ESTIMATE);
        }
    }
    if (columns->count == 0) { // of no input: but one there has to be
        add(columns, names[HP_INUSE_SPACE], "bytes", HP_INUSE_SPACE, HP_PPROF_ESTIMATE);
    }
    columns->estimates = columns->count;
    if (hp_pprof_has_errors(view)) {
        add_errors(columns, view);
    }
}

const char *hp_pprof_column_type(const struct hp_pprof_columns *columns,
                                 enum hp_metric metric) {
    size_t i = 0, last = columns->estimates - 1;
    while (i < last && columns->of[i].metric != metric) {
        i++;
    }
    return columns->of[i].type;
}

// In units of 2^-HP_SPACE_FRACTION, or 2^-HP_OBJECTS_FRACTION for objects.
static hp_fixed exact(const struct hp_pprof_column *column,
                      const struct hp_values *values, const struct hp_error *errors) {
    _Static_assert(HP_SPACE_FRACTION == 20, "KiB^2 are 2^20 bytes^2");
    enum hp_column of = hp_column_of(column->metric);
    switch (column->value) {
    case HP_PPROF_VARIANCE:
        return errors[of].variance;
    case HP_PPROF_HIDDEN:
        return (hp_fixed)errors[of].hidden_bytes_max << HP_SPACE_FRACTION;
    case HP_PPROF_CERTAIN:
        return (hp_fixed)errors[of].observed_bytes << HP_SPACE_FRACTION;
    case HP_PPROF_ESTIMATE:
        break;
    }
    return values->of[column->metric];
}

int64_t *hp_pprof_round(const struct hp_pprof_columns *columns, size_t count,
                        const struct hp_values *values, const struct hp_error *errors,
                        bool *too_big) {
    int64_t *rounded = hp_alloc(count * columns->count * sizeof *rounded);
    hp_fixed *parts = hp_alloc(count * sizeof *parts);
    hp_int128 *whole = hp_alloc(count * sizeof *whole);
    for (size_t k = 0; k < columns->count; k++) {
        const struct hp_pprof_column *column = &columns->of[k];
        for (size_t i = 0; i < count; i++) {
            parts[i] = exact(column, &values[i], errors ? &errors[i * HP_COLUMNS] : NULL);
        }
        hp_round_to_total(parts, count, column->metric, whole);
        for (size_t i = 0; i < count; i++) {
            *too_big |= whole[i] > INT64_MAX || whole[i] < -INT64_MAX;
            rounded[i * columns->count + k] = (int64_t)whole[i];
        }
    }
    free(parts);
    free(whole);
    return rounded;
}
