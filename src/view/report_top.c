#include "model/ages.h"
#include "view/groups.h"
#include "view/part_columns.h"
#include "view/size_rows.h"
#include "view/top.h"
#include "view/unseen.h"

#include <math.h>

static hp_cell_fn flat_cell, cum_cell, samples_cell, decoded_cell, spread_cell,
    objects_cell, size_cell, is_likely_cell, age_cell;

// Numbers of columns that share an accessor.
enum field {
    SPREAD_MEAN,
    SPREAD_SD,
    SPREAD_P,
    AGE_LOW,
    AGE_HIGH,
};

static const struct hp_field fields[] = {
    {{"flat", "flat", NULL, HP_CELL_ESTIMATE},
     flat_cell,
     HP_SHOWN_SHARE | HP_SHOWN_RUNNING | HP_ALL_METRICS | HP_NEW_LINE},
    {{"cum", "cum", NULL, HP_CELL_ESTIMATE},
     cum_cell,
     HP_SHOWN_SHARE | HP_ALL_METRICS | HP_NEW_LINE,
     .leaves = 1},
    {{"effective_samples", NULL, NULL, HP_CELL_NUMBER}, samples_cell, HP_NEW_LINE},
    {{"flags", NULL, NULL, HP_CELL_FLAGS}, NULL},
    {{"sizes_unique", NULL, NULL, HP_CELL_COUNT},
     decoded_cell,
     HP_NEW_LINE,
     "sizes",
     .id = 0},
    {{"sizes_several", NULL, NULL, HP_CELL_COUNT}, decoded_cell, 0, "sizes", .id = 1},
    {{"sizes_none", NULL, NULL, HP_CELL_COUNT}, decoded_cell, 0, "sizes", .id = 2},
};

// Additional columns with --columns=spread.
static const struct hp_field spread_fields[] = {
    {{"spread_mean", NULL, NULL, HP_CELL_NUMBER},
     spread_cell,
     HP_NEW_LINE,
     "spread",
     .id = SPREAD_MEAN,
     .unit = HP_IN_METRIC},
    {{"spread_sd", "spread", NULL, HP_CELL_NUMBER},
     spread_cell,
     0,
     "spread",
     .leaves = 3,
     .id = SPREAD_SD,
     .unit = HP_IN_METRIC},
    {{"spread_p", "p", NULL, HP_CELL_P},
     spread_cell,
     0,
     "spread",
     0,
     HP_WORDS(
         "note-spread",
         "spread: standard deviation between inputs beyond sampling error; p: "
         "probability that sampling alone makes them differ this much; - is not known"),
     2,
     .id = SPREAD_P},
};

// Width of the column `objects`, and number of elements of each of the next two arrays.
enum {
    OBJECTS_WIDTH = 14,
    PART_FIELDS = 3,
};

// Additional columns if rows are sizes of objects, whose cum is equal to flat.
static const struct hp_field size_fields[PART_FIELDS] = {
    {{"objects", "objects", NULL, HP_CELL_COUNT},
     objects_cell,
     HP_NEW_LINE,
     NULL,
     OBJECTS_WIDTH,
     .leaves = 1},
    {{"size", NULL, NULL, HP_CELL_NUMBER}, size_cell},
    {{"is_likely", NULL, NULL, HP_CELL_TRUTH}, is_likely_cell},
};

// Additional columns if rows are ranges of ages: both ends of the range, in seconds.  The
// upper end is not part of the range.
static const struct hp_field age_fields[PART_FIELDS] = {
    {{"objects", "objects", NULL, HP_CELL_COUNT},
     objects_cell,
     HP_NEW_LINE,
     NULL,
     OBJECTS_WIDTH,
     .leaves = 1},
    {{"age_from", NULL, NULL, HP_CELL_NUMBER}, age_cell, .id = AGE_LOW},
    {{"age_to", NULL, NULL, HP_CELL_NUMBER}, age_cell, .id = AGE_HIGH},
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
    bool by_cum = view->options.sort == HP_SORT_CUM && !of_parts;
    bool has_error = view->head.is_uncertain[hp_column_of(view->options.metric)];
    hp_view_set_fields(view, fields, sizeof fields / sizeof *fields);
    if (view->options.columns.spread) {
        hp_view_set_fields(view, spread_fields,
                           sizeof spread_fields / sizeof *spread_fields);
    }
    if (of_parts) {
        bool by_age = view->options.by == HP_BY_AGE;
        hp_view_set_fields(view, by_age ? age_fields : size_fields, PART_FIELDS);
        hp_view_field(view, "cum")->column.title = NULL;
    }
    if (!of_parts && by_cum) {
        hp_view_field(view, "flat")->leaves = hp_view_field(view, "cum")->leaves;
        hp_view_field(view, "cum")->leaves = 0;
    }
    hp_view_field(view, by_cum ? "cum" : "flat")->shown |= has_error ? HP_SHOWN_ERROR : 0;
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

static hp_node_id node_at(const struct hp_cell_at *at) {
    return at->view->rows.at[at->row].node;
}

// Flat or cum of a row, and the other one.  The interval allows for the choice of rows in
// the column that they were chosen by, and in the other one if its value is the same: one
// number must not have two intervals.
static void put_amount(const struct hp_cell_at *at, struct hp_content *content,
                       bool is_cum) {
    const struct hp_top *top = at->view->extra;
    struct hp_amount flat = hp_top_flat(top, node_at(at), at->metric);
    struct hp_amount cum = hp_top_cum(top, node_at(at), at->metric);
    bool is_other = is_cum != (at->view->options.sort == HP_SORT_CUM);
    content->amount = is_cum ? cum : flat;
    content->amount.among =
        !is_other || flat.sum == cum.sum ? top->among[hp_column_of(at->metric)] : 1;
}

static void flat_cell(const struct hp_cell_at *at, struct hp_content *content) {
    put_amount(at, content, false);
}

static void cum_cell(const struct hp_cell_at *at, struct hp_content *content) {
    put_amount(at, content, true);
}

static void samples_cell(const struct hp_cell_at *at, struct hp_content *content) {
    struct hp_amount flat = hp_top_flat(at->view->extra, node_at(at), at->metric);
    content->number =
        hp_precision_samples(&at->view->precision, flat.sum, flat.error, at->metric);
}

// The number of objects whose size was decoded in one way: `id` is the way.
static void decoded_cell(const struct hp_cell_at *at, struct hp_content *content) {
    struct hp_amount flat = hp_top_flat(at->view->extra, node_at(at), at->metric);
    content->number = flat.error ? (double)flat.error->read[at->field->id] : (double)NAN;
}

static void spread_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_top *top = at->view->extra;
    const struct hp_spread_row *spread = &top->spread.rows[node_at(at).n];
    content->number = at->field->id == SPREAD_MEAN ? spread->mean
                      : at->field->id == SPREAD_SD ? spread->sd
                                                   : spread->p;
}

static void objects_cell(const struct hp_cell_at *at, struct hp_content *content) {
    enum hp_metric objects = hp_objects_of(hp_column_of(at->metric));
    struct hp_amount flat = hp_top_flat(at->view->extra, node_at(at), objects);
    content->number = hp_fixed_double(flat.sum, objects);
}

static void size_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_top *top = at->view->extra;
    uint64_t size = top->size_of[node_at(at).n];
    content->number = size == UINT64_MAX ? (double)NAN : (double)size;
}

static void is_likely_cell(const struct hp_cell_at *at, struct hp_content *content) {
    content->number = at->view->rows.at[at->row].is_likely;
}

static void age_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_top *top = at->view->extra;
    uint64_t range = top->size_of[node_at(at).n];
    content->number = hp_age_range_seconds(range == UINT64_MAX ? HP_NO_AGE : range,
                                           at->field->id == AGE_LOW);
}

static const struct hp_open_code *open_code(const struct hp_view *view) {
    const struct hp_top *top = view->extra;
    return &top->spread.open;
}

const struct hp_report hp_report_top = {
    .name = "top",
    .help = "which functions hold, or allocated, the memory",
    .is_table = true,
    .divides_stacks = true,
    .build = build,
    .settle = settle,
    .open_code = open_code,
    .done = done,
};
