//         flat  flat%           cum   cum%  of it        cum 95% CI   function
//
//                           8.0 MiB   9.8%  76.2%    6.1 … 10.3 MiB   ┌ main
//                           2.5 MiB   3.1%  23.8%     1.5 … 3.9 MiB   ├ run
//     10.5 MiB  12.9%      10.5 MiB  12.9%           8.4 … 13.0 MiB   f
//                           1.0 MiB   1.2%   9.5%     0.4 … 2.1 MiB   └ g
//
// The callers of a function are above it and its callees below, each with the part that
// passes between the two, and the share that this is of the function's cum value.
#include "report/text/text_table.h"

#include "view/report_peek.h"

// The columns.
enum {
    FLAT,
    FLAT_SHARE,
    CUM,
    CUM_SHARE,
    OF_IT,
    ERROR,
};

enum {
    // Cells of a share.
    SHARE_WIDTH = 6,
    // Cells of "├ ".
    BRANCH_WIDTH = 2,
};

// State of writing the report of peek: callers and callees of functions.
struct peek {
    struct hp_sink *out; // lines that are not part of the table
    const struct hp_view *view;
    struct hp_text_table table;
    struct hp_text_widths widths;
    struct hp_text_names *names;
};

// The callers or the callees of a row, sorted by value.
static const struct hp_neighbor *neighbors_of(const struct hp_view *view, size_t row,
                                              bool are_callees) {
    const struct hp_neighbors *neighbors = view->extra;
    const struct hp_neighborhood *area = &neighbors->areas.at[row];
    return neighbors->all + area->first + (are_callees ? area->callers : 0);
}

// Widen columns so that the callers or callees of a row fit.
static void measure_neighbors(struct peek *peek, size_t row, bool are_callees) {
    const struct hp_neighbor *all = neighbors_of(peek->view, row, are_callees);
    size_t shown = hp_neighbors_shown(peek->view, row, are_callees);
    for (size_t i = 0; i < shown; i++) {
        struct hp_error error;
        struct hp_amount value = hp_neighbor_amount(peek->view, &all[i], &error);
        hp_text_widen(&peek->widths, peek->view, &value);
    }
}

// Set the widths of columns so that the first `shown` functions, their callers and their
// callees fit.
static void measure(struct peek *peek, size_t shown) {
    const struct hp_view *view = peek->view;
    const struct hp_neighbors *neighbors = view->extra;
    peek->widths = hp_text_widths_of(view);
    for (size_t i = 0; i < shown; i++) {
        struct hp_amount cum =
            hp_top_cum(&neighbors->top, view->rows.at[i].node, view->options.metric);
        hp_text_widen(&peek->widths, view, &cum);
        measure_neighbors(peek, i, false);
        measure_neighbors(peek, i, true);
    }
}

// Add the columns that fit.  Flat can be dropped, because callers and callees have none.
static void fit(struct peek *peek) {
    struct hp_text_table *table = &peek->table;
    hp_text_table_add(table, "flat", peek->widths.amount, 4);
    hp_text_table_add(table, "flat%", SHARE_WIDTH, 1);
    hp_text_table_add(table, "cum", peek->widths.amount, 0);
    hp_text_table_add(table, "cum%", SHARE_WIDTH, 2);
    hp_text_table_add(table, "of it", SHARE_WIDTH, 0);
    hp_text_table_add_error(table, "cum", peek->widths.error, 3)->is_gone =
        !hp_text_has_errors(peek->view);
    table->remark_at = CUM;
    hp_text_table_fit(table, 1);
}

// Add the names of callers or callees, which have a branch before them; a function has
// none.
static void name_neighbors(struct peek *peek, size_t row, bool are_callees) {
    const struct hp_neighbors *neighbors = peek->view->extra;
    const struct hp_neighborhood *area = &neighbors->areas.at[row];
    const struct hp_neighbor *all = neighbors_of(peek->view, row, are_callees);
    size_t count = are_callees ? area->callees : area->callers;
    size_t table_room = peek->table.room;
    size_t room = table_room > BRANCH_WIDTH ? table_room - BRANCH_WIDTH : table_room;
    for (size_t i = 0; i < hp_view_limited(peek->view, count); i++) {
        hp_text_names_add(peek->names, all[i].node, room);
    }
}

// Find distinct names for the first `shown` functions, their callers and their callees.
static void name_all(struct peek *peek, size_t shown) {
    peek->names = hp_text_names_new(peek->view);
    for (size_t i = 0; i < shown; i++) {
        name_neighbors(peek, i, false);
        hp_text_names_add(peek->names, peek->view->rows.at[i].node, peek->table.room);
        name_neighbors(peek, i, true);
    }
    hp_text_names_make_distinct(peek->names);
}

// Set the cells with cum of a function, or the value of a caller or callee, with its share
// of the total and its interval.
static void set_cum(struct peek *peek, const struct hp_amount *cum,
                    const struct hp_text_estimate *text) {
    struct hp_text_cell *cells = peek->table.cells.at;
    cells[CUM] = hp_text_amount_cell(cum->sum, text);
    cells[CUM_SHARE] = hp_text_share_cell(cum->sum, hp_text_whole(peek->view));
    cells[ERROR] = hp_text_error_cell(peek->view, cum, text);
}

// Write the present row, with a branch before the name of a node.
static void put_row(struct peek *peek, const char *branch, hp_node_id node) {
    hp_text_table_name(&peek->table, hp_span_of(branch));
    hp_text_table_name(&peek->table, hp_text_name(peek->names, node));
    hp_text_table_put(&peek->table, HP_TEXT_CELLS);
}

// Write how many callers or callees are not shown; `next` is the first of them.
static void put_left(struct peek *peek, size_t count, const struct hp_neighbor *next) {
    const struct hp_view *view = peek->view;
    char most[HP_NUMBER_SIZE];
    struct hp_sink name;
    struct hp_err err;
    hp_text_format(most, hp_neighbor_value(view, next), view->options.metric,
                   view->options.unit);
    hp_sink_init(&name, hp_buffer_write, &peek->table.name);
    hp_sink_print(&name, HP_MESSAGE("calls-left", "… %zu more, none of more than %s"),
                  count, most);
    int ret = hp_sink_close(&name, &err); // a buffer never fails
    (void)ret;
    hp_text_table_put(&peek->table, HP_TEXT_REMARK);
}

// Write the callers or callees of a row, and how many are not shown.
static void put_neighbors(struct peek *peek, size_t row, hp_fixed whole,
                          bool are_callees) {
    const struct hp_view *view = peek->view;
    const struct hp_neighbors *neighbors = view->extra;
    const struct hp_neighborhood *area = &neighbors->areas.at[row];
    const struct hp_neighbor *all = neighbors_of(view, row, are_callees);
    size_t count = are_callees ? area->callees : area->callers;
    size_t shown = hp_neighbors_shown(view, row, are_callees);
    for (size_t i = 0; i < shown; i++) {
        bool is_end = are_callees ? i + 1 == count : i == 0;
        struct hp_error error;
        struct hp_amount value = hp_neighbor_amount(peek->view, &all[i], &error);
        struct hp_text_estimate text;
        hp_text_row_estimate(&text, view, &value);
        set_cum(peek, &value, &text);
        peek->table.cells.at[OF_IT] =
            hp_text_share_cell(value.sum, hp_view_is_of_differences(view) ? 0 : whole);
        put_row(peek, !is_end ? "├ " : are_callees ? "└ " : "┌ ", all[i].node);
    }
    if (shown < count) {
        put_left(peek, count - shown, &all[shown]);
    }
}

// Write a function with its callers and callees.
static void put_area(struct peek *peek, size_t row) {
    const struct hp_view *view = peek->view;
    const struct hp_neighbors *neighbors = view->extra;
    enum hp_metric metric = view->options.metric;
    hp_node_id node = view->rows.at[row].node;
    struct hp_amount flat = hp_top_flat(&neighbors->top, node, metric);
    struct hp_amount cum = hp_top_cum(&neighbors->top, node, metric);
    struct hp_text_estimate text;
    hp_text_row_estimate(&text, view, &cum);
    hp_sink_text(peek->out, "\n");
    put_neighbors(peek, row, cum.sum, false);
    peek->table.cells.at[FLAT] = hp_text_amount_cell(flat.sum, &text);
    peek->table.cells.at[FLAT_SHARE] = hp_text_share_cell(flat.sum, hp_text_whole(view));
    set_cum(peek, &cum, &text);
    put_row(peek, "", node);
    put_neighbors(peek, row, cum.sum, true);
}

static hp_fixed flat_of(const struct hp_view *view, size_t row) {
    const struct hp_neighbors *neighbors = view->extra;
    return hp_top_flat(&neighbors->top, view->rows.at[row].node, view->options.metric)
        .sum;
}

// Write everything below the table; `rows`: number of functions that are not shown, and
// `sum` the sum of their flat values.
static void finish(struct peek *peek, size_t rows, hp_fixed sum) {
    struct hp_text_draft rest;
    hp_text_draft_init(&rest);
    if (rows > 0) {
        hp_text_rest(&rest.out, peek->view, rows,
                     hp_granularity_text(peek->view->options.by), sum);
    }
    hp_text_finish(&peek->table, hp_text_draft_end(&rest));
    hp_text_draft_done(&rest);
}

void hp_text_peek(struct hp_text_page *page, const struct hp_view *view) {
    size_t count = view->rows.count, shown = hp_view_shown(view, count);
    hp_fixed rest = 0;
    struct peek peek = {.out = &page->lines, .view = view};
    hp_text_table_init(&peek.table, page);
    measure(&peek, shown);
    fit(&peek);
    name_all(&peek, shown);
    hp_text_head(peek.out, view);
    hp_text_table_put(&peek.table, HP_TEXT_TITLES);
    for (size_t i = 0; i < shown; i++) {
        put_area(&peek, i);
    }
    for (size_t i = shown; i < count; i++) {
        rest += flat_of(view, i);
    }
    hp_sink_text(peek.out, "\n");
    finish(&peek, count - shown, rest);
    hp_text_names_free(peek.names);
    hp_text_table_done(&peek.table);
}
