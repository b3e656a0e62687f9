#include "model/ages.h"
#include "view/groups.h"
#include "view/part_columns.h"
#include "view/size_rows.h"
#include "view/top.h"
#include "view/unseen.h"

#include <math.h>

// Columns of the report: of `fields`, then of size_fields and age_fields.
enum field {
    FLAT,
    CUM,
    EFFECTIVE_SAMPLES,
    FLAGS,
    SIZES_UNIQUE,
    SIZES_SEVERAL,
    SIZES_NONE,
    SPREAD_MEAN,
    SPREAD_SD,
    SPREAD_P,
    OBJECTS,
    SIZE,
    IS_LIKELY,
    AGE_LOW,
    AGE_HIGH,
};

static const struct hp_field fields[] = {
    {{"flat", "flat", NULL, HP_CELL_ESTIMATE},
     FLAT,
     HP_SHOWN_SHARE | HP_SHOWN_RUNNING | HP_ALL_METRICS | HP_NEW_LINE},
    {{"cum", "cum", NULL, HP_CELL_ESTIMATE},
     CUM,
     HP_SHOWN_SHARE | HP_ALL_METRICS | HP_NEW_LINE,
     .leaves = 1},
    {{"effective_samples", NULL, "", HP_CELL_NUMBER}, EFFECTIVE_SAMPLES, HP_NEW_LINE},
    {{"flags", NULL, "", HP_CELL_FLAGS}, FLAGS},
    {{"sizes_unique", NULL, "", HP_CELL_COUNT}, SIZES_UNIQUE, HP_NEW_LINE, "sizes"},
    {{"sizes_several", NULL, "", HP_CELL_COUNT}, SIZES_SEVERAL, 0, "sizes"},
    {{"sizes_none", NULL, "", HP_CELL_COUNT}, SIZES_NONE, 0, "sizes"},
    {{"spread_mean", NULL, NULL, HP_CELL_NUMBER}, SPREAD_MEAN, HP_NEW_LINE, "spread"},
    {{"spread_sd", "spread", NULL, HP_CELL_NUMBER}, SPREAD_SD, 0, "spread", .leaves = 3},
    {{"spread_p", "p", "", HP_CELL_P},
     SPREAD_P,
     0,
     "spread",
     0,
     HP_WORDS(
         "note-spread",
         "spread: standard deviation between inputs beyond sampling error; p: "
         "probability that sampling alone makes them differ this much; - is not known"),
     2},
};

// Width of the column `objects`, and number of elements of each of the next two arrays.
enum {
    OBJECTS_WIDTH = 14,
    PART_FIELDS = 3,
};

// Additional columns if rows are sizes of objects, whose cum is equal to flat.
static const struct hp_field size_fields[PART_FIELDS] = {
    {{"objects", "objects", "", HP_CELL_COUNT},
     OBJECTS,
     HP_NEW_LINE,
     NULL,
     OBJECTS_WIDTH,
     .leaves = 1},
    {{"size", NULL, "", HP_CELL_NUMBER}, SIZE},
    {{"is_likely", NULL, "", HP_CELL_TRUTH}, IS_LIKELY},
};

// Additional columns if rows are ranges of ages: both ends of the range, in seconds.  The
// upper end is not part of the range.
static const struct hp_field age_fields[PART_FIELDS] = {
    {{"objects", "objects", "", HP_CELL_COUNT},
     OBJECTS,
     HP_NEW_LINE,
     NULL,
     OBJECTS_WIDTH,
     .leaves = 1},
    {{"age_from", NULL, "", HP_CELL_NUMBER}, AGE_LOW},
    {{"age_to", NULL, "", HP_CELL_NUMBER}, AGE_HIGH},
};

// The errors to add up for `rows` rows: text shows errors of flat or of cum, by which
// rows are sorted, and JSON shows both.
static struct hp_top_errors errors_of(const struct hp_view *view, size_t rows) {
    struct hp_top_errors errors = {.rows = rows};
    bool all_metrics = (view->use.can & HP_HAS_ALL_METRICS) != 0;
    bool all_ends = (view->use.can & HP_CAN_ALL_ENDS) != 0;
    bool by_cum = view->options.sort == HP_SORT_CUM;
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        bool is_shown = view->head.is_uncertain[i] &&
                        (all_metrics || i == hp_column_of(view->options.metric));
        errors.flat[i] = is_shown && (all_ends || !by_cum);
        errors.cum[i] = is_shown && (all_ends || by_cum);
    }
    return errors;
}

// Set the columns.  The column that rows are sorted by, flat or cum, shows its error and
// stays in a narrow table.
static void set_fields(struct hp_view *view) {
    bool of_parts = hp_is_of_parts(view->options.by);
    enum field with_error = view->options.sort == HP_SORT_CUM && !of_parts ? CUM : FLAT;
    bool has_error = view->head.is_uncertain[hp_column_of(view->options.metric)];
    hp_view_set_fields(view, fields,
                       view->options.columns.spread ? sizeof fields / sizeof *fields
                                                    : SPREAD_MEAN);
    if (of_parts) {
        bool by_age = view->options.by == HP_BY_AGE;
        hp_view_set_fields(view, by_age ? age_fields : size_fields, PART_FIELDS);
        view->fields.at[CUM].column.title = NULL;
    }
    if (!of_parts && with_error == CUM) {
        view->fields.at[FLAT].leaves = view->fields.at[CUM].leaves;
        view->fields.at[CUM].leaves = 0;
    }
    view->fields.at[with_error].shown |= has_error ? HP_SHOWN_ERROR : 0;
    struct hp_field *field;
    hp_vec_each (field, &view->fields) {
        unsigned of_total = HP_SHOWN_SHARE | HP_SHOWN_RUNNING;
        field->shown &= view->head.has_total ? ~0u : ~of_total;
    }
}

// Set the number of rows that HP_LIMIT_ENOUGH shows.  Leaves the default if rows are
// sorted by name, or if they are dumps of one process, which have no sum.
static void find_enough(const struct hp_top *top, struct hp_view *view) {
    enum hp_metric metric = view->options.metric;
    bool by_cum = view->options.sort == HP_SORT_CUM;
    struct hp_enough values = {.count = 0};
    if (view->options.sort == HP_SORT_NAME || !view->head.has_total) {
        return;
    }
    const hp_fixed *sums = (by_cum ? top->cum : top->flat) + top->slot[metric];
    for (size_t i = 0; i < view->rows.count; i++) {
        hp_enough_add(&values, sums[view->rows.at[i].node.n * top->metrics]);
    }
    view->enough = hp_view_enough(view, &values, view->head.filtered.of[metric]);
}

// Sort the rows that the format needs to the front, and set view->enough.
static void sort_rows(struct hp_top *top, struct hp_view *view) {
    hp_top_sort_rows(top, view, view->options.sort,
                     hp_view_needed(view, view->rows.count));
    find_enough(top, view);
}

// Make the rows if they are functions or other code.  Samples of all rows are counted
// with their values, to know among how many rows the first ones were chosen.
static void sum_nodes(struct hp_top *top, struct hp_view *view) {
    size_t nodes = hp_node_count(&view->naming);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        top->samples[i] = hp_are_chosen(view, i) ? hp_alloc(nodes) : NULL;
    }
    hp_top_sum_nodes(top, view);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        top->among[i] = top->samples[i] ? hp_chosen_among(top->samples[i], nodes) : 1;
        free(top->samples[i]);
    }
    sort_rows(top, view);
    hp_top_sum_errors(top, view);
}

// Make the rows if they are inputs, processes, threads or labels, from `groups`, which is
// freed.  Inputs and processes are also shown if their sums are 0.
static void sum_groups(struct hp_groups *groups, struct hp_top *top,
                       struct hp_view *view) {
    bool are_inputs =
        view->options.by == HP_BY_INPUT || view->options.by == HP_BY_PROCESS;
    hp_groups_sum(groups, view, top);
    hp_groups_done(groups);
    if (!are_inputs) {
        hp_top_drop_nothing(top, view);
    }
    sort_rows(top, view);
}

// Make the rows if they are sizes of objects or ranges of ages.  Returns HP_OK.
static int build_of_parts(struct hp_view *view, struct hp_top *top) {
    size_t count;
    uint64_t *sizes = hp_size_rows_new(view, &count);
    hp_top_init(top, view, errors_of(view, SIZE_MAX));
    hp_size_rows_sum(sizes, count, view, top);
    free(sizes);
    hp_top_drop_nothing(top, view);
    sort_rows(top, view);
    set_fields(view);
    return HP_OK;
}

static int build(struct hp_view *view, struct hp_err *err) {
    (void)err;
    bool by_group = view->options.by >= HP_BY_INPUT;
    struct hp_top *top = view->extra = hp_alloc(sizeof *top);
    struct hp_groups groups = {0};
    if (hp_is_of_parts(view->options.by)) {
        return build_of_parts(view, top);
    }
    if (by_group) {
        hp_groups_init(&groups, view); // adds their names as nodes
    }
    size_t nodes = hp_node_count(&view->naming);
    size_t shown = by_group ? SIZE_MAX : hp_view_needed(view, nodes);
    hp_top_init(top, view, errors_of(view, shown));
    if (by_group) {
        sum_groups(&groups, top, view);
    } else {
        sum_nodes(top, view);
    }
    if (view->options.columns.spread) {
        hp_spread_init(&top->spread, view);
    }
    set_fields(view);
    if (!by_group && (view->options.columns.sizes || view->options.columns.ages)) {
        top->parts = hp_part_columns_new(view);
        hp_part_columns_set_fields(view);
    }
    return HP_OK;
}

static void settle(const struct hp_view *view, size_t row) {
    struct hp_top *top = view->extra;
    if (row >= top->sorted) {
        hp_top_sort_rest(top, view);
    }
}

static void done(struct hp_view *view) {
    struct hp_top *top = view->extra;
    hp_spread_done(&top->spread);
    hp_part_columns_free(top->parts);
    hp_top_done(top);
}

static void cell(const struct hp_view *view, size_t row, int field, enum hp_metric metric,
                 struct hp_content *content) {
    const struct hp_top *top = view->extra;
    hp_node_id node = view->rows.at[row].node;
    if (field >= HP_PART_FIELDS) {
        hp_part_columns_cell(top->parts, node, field, content);
        return;
    }
    content->amount =
        field == CUM ? hp_top_cum(top, node, metric) : hp_top_flat(top, node, metric);
    // Allow for the choice of rows in the column that they were chosen by, and in the
    // other one if its value is the same: one number must not have two intervals.
    bool is_other = (field == CUM) != (view->options.sort == HP_SORT_CUM);
    struct hp_amount other =
        field == CUM ? hp_top_flat(top, node, metric) : hp_top_cum(top, node, metric);
    content->amount.among = !is_other || other.sum == content->amount.sum
                                ? top->among[hp_column_of(metric)]
                                : 1;
    if (field == EFFECTIVE_SAMPLES) {
        content->number = hp_precision_samples(&view->precision, content->amount.sum,
                                               content->amount.error, metric);
    } else if (field >= SIZES_UNIQUE && field <= SIZES_NONE) {
        const struct hp_error *error = content->amount.error;
        content->number = error ? (double)error->read[field - SIZES_UNIQUE] : (double)NAN;
    } else if (field == OBJECTS) {
        metric = hp_objects_of(hp_column_of(metric));
        content->number = hp_fixed_double(hp_top_flat(top, node, metric).sum, metric);
    } else if (field == SIZE) {
        uint64_t size = top->size_of[node.n];
        content->number = size == UINT64_MAX ? (double)NAN : (double)size;
    } else if (field == IS_LIKELY) {
        content->number = view->rows.at[row].is_likely;
    } else if (field == AGE_LOW || field == AGE_HIGH) {
        uint64_t range = top->size_of[node.n];
        content->number = hp_age_range_seconds(range == UINT64_MAX ? HP_NO_AGE : range,
                                               field == AGE_LOW);
    } else if (field >= SPREAD_MEAN) {
        const struct hp_spread_row *spread = &top->spread.rows[node.n];
        content->number = field == SPREAD_MEAN ? spread->mean
                          : field == SPREAD_SD ? spread->sd
                                               : spread->p;
    }
}

static const struct hp_open_code *open_code(const struct hp_view *view) {
    const struct hp_top *top = view->extra;
    return &top->spread.open;
}

const struct hp_report hp_report_top = {
    .name = "top",
    .help = "which functions hold, or allocated, the memory",
    .is_table = true,
    .build = build,
    .cell = cell,
    .settle = settle,
    .open_code = open_code,
    .done = done,
};
