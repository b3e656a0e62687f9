// The report `diff`: changes from base to new, significant ones first, then by size.
#include "view/difference.h"

#include <math.h>

// --- order --------------------------------------------------------------------------------

// Absolute difference between the new value and the base value.
static hp_fixed size_of(const struct hp_change *change) {
    hp_fixed growth = change->after - change->before;
    return growth < 0 ? -growth : growth;
}

// The larger one of the base value and the new value.
static hp_fixed larger_of(const struct hp_change *change) {
    return change->before > change->after ? change->before : change->after;
}

// Order of rows: significant changes first, then by size of the change, then by the
// larger one of both values, then by name.
static int by_significance(const void *left, const void *right, void *context) {
    const struct hp_change *a = left, *b = right;
    hp_fixed size_a = size_of(a), size_b = size_of(b);
    if (a->is_significant != b->is_significant) {
        return a->is_significant ? -1 : 1;
    }
    if (size_a != size_b) {
        return size_a > size_b ? -1 : 1;
    }
    if (larger_of(a) != larger_of(b)) {
        return larger_of(a) > larger_of(b) ? -1 : 1;
    }
    return hp_node_compare(context, a->node, b->node);
}

// --- the report ---------------------------------------------------------------------------

static hp_cell_fn amount_cell, number_cell, status_cell;

// Numbers of columns that share an accessor.
enum field {
    BASE,
    NEW,
    DELTA,
    P,
    P_SIDES,
    Q,
    P_IF_NOTHING_FREED,
    SIGNIFICANT,
};

static const struct hp_field fields[] = {
    {{"base", "base", NULL, HP_CELL_ESTIMATE},
     amount_cell,
     HP_SHOWN_DASH | HP_NEW_LINE,
     .leaves = 1,
     .id = BASE},
    {{"new", "new", NULL, HP_CELL_ESTIMATE},
     amount_cell,
     HP_SHOWN_DASH,
     .leaves = 2,
     .id = NEW},
    {{"delta", "change", NULL, HP_CELL_ESTIMATE},
     amount_cell,
     HP_SHOWN_SIGNED | HP_NEW_LINE,
     .id = DELTA},
    {{"p", "p", NULL, HP_CELL_P}, number_cell, HP_SHOWN_MARK, .leaves = 3, .id = P},
    {{"p_sides", NULL, NULL, HP_CELL_COUNT}, number_cell, .id = P_SIDES},
    {{"q", NULL, NULL, HP_CELL_P}, number_cell, .id = Q},
    {{"p_if_nothing_freed", NULL, NULL, HP_CELL_P},
     number_cell,
     .id = P_IF_NOTHING_FREED},
    {{"status", NULL, NULL, HP_CELL_TEXT}, status_cell, HP_NEW_LINE},
    {{"significant", NULL, NULL, HP_CELL_TRUTH}, number_cell, .id = SIGNIFICANT},
};

// Columns for a difference of two profiles as input, whose sides and errors are not
// known.
static const struct hp_field fields_of_differences[] = {
    {{"shrank", "shrank", NULL, HP_CELL_ESTIMATE},
     amount_cell,
     HP_SHOWN_DASH | HP_NEW_LINE,
     .leaves = 1,
     .id = BASE},
    {{"grew", "grew", NULL, HP_CELL_ESTIMATE},
     amount_cell,
     HP_SHOWN_DASH,
     .leaves = 2,
     .id = NEW},
    {{"delta", "change", NULL, HP_CELL_ESTIMATE},
     amount_cell,
     HP_SHOWN_SIGNED | HP_NEW_LINE,
     .id = DELTA},
    {{"status", NULL, NULL, HP_CELL_TEXT}, status_cell},
};

// Set the columns.  Intervals and p-values are shown only if changes were tested.
static void set_fields(struct hp_view *view, bool is_tested) {
    if (hp_view_is_of_differences(view)) {
        hp_view_set_fields(view, fields_of_differences,
                           sizeof fields_of_differences / sizeof *fields_of_differences);
        return;
    }
    hp_view_set_fields(view, fields, sizeof fields / sizeof *fields);
    hp_view_field(view, "delta")->shown |=
        (is_tested ? HP_SHOWN_ENDS : 0) |
        (view->options.text.details ? HP_SHOWN_GROWTH : 0);
    hp_view_field(view, "p")->column.title = is_tested ? "p" : NULL;
}

static int build(struct hp_view *view, struct hp_err *err) {
    (void)err;
    struct hp_difference *difference = view->extra = hp_alloc(sizeof *difference);
    struct hp_sides sides;
    struct hp_members members;
    hp_sides_init(&sides, view->profile);
    hp_members_init(&members, &view->naming, view->options.sort == HP_SORT_CUM);
    struct hp_open_code open;
    hp_open_code_init(&open, view, &sides,
                      hp_sides_have_same_processes(view->profile, &sides));
    hp_difference_init(difference, view, &sides, &members, &open);
    if (open.modules.count > 0) {
        hp_difference_of_modules(&open, view, &sides, &members);
    }
    difference->open = open;
    hp_vec_sort_r(&difference->rows, by_significance, &view->naming);
    hp_members_done(&members);
    hp_sides_done(&sides);
    const struct hp_change *change;
    hp_vec_each (change, &difference->rows) {
        bool is_only = hp_change_is_new(change) || hp_change_is_gone(change);
        hp_view_add_row(view, change->node)->prefix =
            is_only ? hp_change_status(change) : NULL;
    }
    hp_view_find_changes(view);
    set_fields(view, difference->test != HP_TEST_NONE);
    return HP_OK;
}

static void done(struct hp_view *view) {
    hp_difference_done(view->extra);
}

// The change in a row; `row` may be HP_ROW_TOTAL or HP_ROW_FILTERED.
static const struct hp_change *change_of(const struct hp_view *view, size_t row) {
    const struct hp_difference *difference = view->extra;
    return row == HP_ROW_TOTAL      ? &difference->total
           : row == HP_ROW_FILTERED ? &difference->filtered
                                    : &difference->rows.at[row];
}

// The content of column BASE, NEW or DELTA of a row, with its interval.
static struct hp_amount amount_of(const struct hp_change *c, int field,
                                  double confidence) {
    if (field == DELTA) {
        return (struct hp_amount){.sum = c->after - c->before,
                                  .range = hp_change_range(c, confidence)};
    }
    return (struct hp_amount){.sum = field == BASE ? c->before : c->after,
                              .range = hp_change_side(c, field == NEW, confidence)};
}

static void amount_cell(const struct hp_cell_at *at, struct hp_content *content) {
    content->amount = amount_of(change_of(at->view, at->row), at->field->id,
                                at->view->options.confidence);
}

static void number_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_change *c = change_of(at->view, at->row);
    const double numbers[] = {
        [P] = c->p,
        [P_SIDES] = 2,
        [Q] = c->q,
        [P_IF_NOTHING_FREED] = c->least_growth_p,
        [SIGNIFICANT] = c->is_significant,
    };
    content->number = numbers[at->field->id];
}

static void status_cell(const struct hp_cell_at *at, struct hp_content *content) {
    content->text = hp_change_status(change_of(at->view, at->row));
}

static unsigned flags(const struct hp_view *view, size_t row) {
    return change_of(view, row)->is_significant ? HP_ROW_SIGNIFICANT : 0;
}

static struct hp_growth growth(const struct hp_view *view, size_t row) {
    const struct hp_change *change = change_of(view, row);
    bool is_sum = row == HP_ROW_TOTAL || row == HP_ROW_FILTERED;
    const struct hp_difference *difference = view->extra;
    return (struct hp_growth){
        .before = change->before,
        .after = change->after,
        .p = change->q,
        .is_open = change->is_open,
        .open_before = change->open[0],
        .plain_p = is_sum ? change->q : change->plain_q,
        .has_own_open = change->has_own_open,
        .is_of_sampling = !hp_difference_allows_for_processes(difference->test),
    };
}

static const struct hp_open_code *open_code(const struct hp_view *view) {
    const struct hp_difference *difference = view->extra;
    return &difference->open;
}

const struct hp_report hp_report_diff = {
    .name = "diff",
    .help = "what changed, and whether it is more than sampling noise",
    .is_table = true,
    .has_sides = true,
    .has_one_metric = true,
    .build = build,
    .flags = flags,
    .growth = growth,
    .open_code = open_code,
    .done = done,
};
