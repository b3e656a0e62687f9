//         flat  flat%           cum   cum%        cum at 95%   function
//
//                           8.0 MiB  76.2%    6.1 … 10.3 MiB   ┌ main
//                           2.5 MiB  23.8%     1.5 … 3.9 MiB   ├ run
//     10.5 MiB  12.9%      10.5 MiB  12.9%    8.4 … 13.0 MiB   f
//                           1.0 MiB   9.5%     0.4 … 2.1 MiB   └ g
//
// The callers of a function are above it and its callees below, each with its share of
// the function's cum value: the part that passes between the two.
#include "report/text/text.h"

#include "view/report_peek.h"

// Indices into `parts`: the columns before names.  BEFORE is cum with its spaces, and is
// never dropped.
enum {
    FLAT,
    FLAT_SHARE,
    CUM_SHARE,
    ERROR,
    BEFORE,
    PARTS,
};

enum {
    // Cells of a share.
    SHARE_WIDTH = 6,
    // Cells of "├ ".
    BRANCH_WIDTH = 2,
};

// State of writing the report of peek: callers and callees of functions.
struct peek {
    struct hp_sink *out;
    const struct hp_view *view;
    struct hp_text_part parts[PARTS];
    struct hp_text_widths widths;
    size_t room; // cells of a name with its branch; 0: any
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

// Drop columns that do not fit.  Flat can be dropped, because callers and callees have
// none.
static void fit(struct peek *peek) {
    struct hp_text_part *parts = peek->parts;
    size_t width = (size_t)peek->widths.amount;
    size_t error = (size_t)peek->widths.error + 2;
    parts[CUM_SHARE] = (struct hp_text_part){SHARE_WIDTH + 1, 1, false};
    parts[ERROR] = (struct hp_text_part){error, 2, !hp_text_has_errors(peek->view)};
    parts[FLAT_SHARE] = (struct hp_text_part){SHARE_WIDTH + 1, 3, false};
    parts[FLAT] = (struct hp_text_part){width + 1, 4, false};
    parts[BEFORE] = (struct hp_text_part){width + 2, 0, false};
    peek->room = hp_text_fit(peek->view, parts, PARTS);
}

// Write empty cells for the columns that callers and callees do not have.
static void put_indent(const struct peek *peek, const char *between) {
    for (int i = FLAT; i <= FLAT_SHARE; i++) {
        if (!peek->parts[i].is_gone) {
            hp_sink_print(peek->out, "%*s%s", (int)peek->parts[i].cells - 1, "", between);
        }
    }
}

static void put_titles(const struct peek *peek) {
    struct hp_sink *out = peek->out;
    hp_sink_print(out, "%s%s", HP_TEXT_ROW, hp_text_bold(peek->view));
    if (!peek->parts[FLAT].is_gone) {
        hp_sink_print(out, "%*s" HP_TEXT_NEXT, peek->widths.amount, "flat");
    }
    if (!peek->parts[FLAT_SHARE].is_gone) {
        hp_sink_print(out, "%*s" HP_TEXT_NEXT, SHARE_WIDTH, "flat%");
    }
    hp_sink_print(out, "%*s", peek->widths.amount, "cum");
    if (!peek->parts[CUM_SHARE].is_gone) {
        hp_sink_print(out, HP_TEXT_NEXT "%*s", SHARE_WIDTH, "cum%");
    }
    if (!peek->parts[ERROR].is_gone) {
        hp_sink_text(out, HP_TEXT_NEXT);
        hp_text_error_title(out, peek->view, "cum", peek->widths.error);
    }
    hp_sink_print(out, HP_TEXT_NEXT " %s%s\n",
                  hp_granularity_text(peek->view->options.by), hp_text_plain(peek->view));
}

// Add the names of callers or callees, which have a branch before them; a function has
// none.
static void name_neighbors(struct peek *peek, size_t row, bool are_callees) {
    const struct hp_neighbors *neighbors = peek->view->extra;
    const struct hp_neighborhood *area = &neighbors->areas.at[row];
    const struct hp_neighbor *all = neighbors_of(peek->view, row, are_callees);
    size_t count = are_callees ? area->callees : area->callers;
    size_t room = peek->room > BRANCH_WIDTH ? peek->room - BRANCH_WIDTH : peek->room;
    for (size_t i = 0; i < hp_view_limited(peek->view, count); i++) {
        hp_text_names_add(peek->names, all[i].node, room);
    }
}

// Find distinct names for the first `shown` functions, their callers and their callees.
static void name_all(struct peek *peek, size_t shown) {
    peek->names = hp_text_names_new(peek->view);
    for (size_t i = 0; i < shown; i++) {
        name_neighbors(peek, i, false);
        hp_text_names_add(peek->names, peek->view->rows.at[i].node, peek->room);
        name_neighbors(peek, i, true);
    }
    hp_text_names_make_distinct(peek->names);
}

// Write cum of a function, or the value of a caller or callee, with its share of `whole`
// and its interval.
static void put_cum(const struct peek *peek, const struct hp_amount *cum,
                    const struct hp_text_estimate *text, hp_fixed whole) {
    struct hp_sink *out = peek->out;
    bool is_of_differences = hp_view_is_of_differences(peek->view);
    hp_text_put_value(out, text, peek->widths.amount);
    if (!peek->parts[CUM_SHARE].is_gone) {
        hp_sink_text(out, HP_TEXT_NEXT);
        hp_text_percent(out, cum->sum, is_of_differences ? 0 : whole);
    }
    if (!peek->parts[ERROR].is_gone) {
        hp_sink_text(out, HP_TEXT_NEXT);
        hp_text_error(out, peek->view, cum, text, peek->widths.error);
    }
    hp_sink_text(out, HP_TEXT_NEXT " ");
}

static void put_flat(const struct peek *peek, hp_fixed flat,
                     const struct hp_text_estimate *text) {
    const struct hp_view *view = peek->view;
    if (!peek->parts[FLAT].is_gone) {
        hp_text_value_of(peek->out, view, flat, text, peek->widths.amount);
        hp_sink_text(peek->out, HP_TEXT_NEXT);
    }
    if (!peek->parts[FLAT_SHARE].is_gone) {
        hp_text_percent(peek->out, flat, hp_text_whole(view));
        hp_sink_text(peek->out, HP_TEXT_NEXT);
    }
}

static void put_name(const struct peek *peek, hp_node_id node) {
    hp_text_put_name(peek->out, peek->names, node);
    hp_sink_text(peek->out, "\n");
}

// Write the callers or callees of a row, and how many are not shown.
static void put_neighbors(const struct peek *peek, size_t row, hp_fixed whole,
                          bool are_callees) {
    struct hp_sink *out = peek->out;
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
        hp_sink_text(out, HP_TEXT_ROW);
        put_indent(peek, HP_TEXT_NEXT);
        put_cum(peek, &value, &text, whole);
        hp_sink_text(out, !is_end ? "├ " : are_callees ? "└ " : "┌ ");
        put_name(peek, all[i].node);
    }
    if (shown < count) {
        char most[HP_NUMBER_SIZE];
        hp_text_format(most, hp_neighbor_value(view, &all[shown]), view->options.metric,
                       view->options.unit);
        hp_sink_text(out, HP_TEXT_CELL);
        put_indent(peek, " ");
        hp_sink_print(out, HP_MESSAGE("calls-left", "… %zu more, none of more than %s\n"),
                      count - shown, most);
    }
}

// Write a function with its callers and callees.
static void put_area(const struct peek *peek, size_t row) {
    struct hp_sink *out = peek->out;
    const struct hp_view *view = peek->view;
    const struct hp_neighbors *neighbors = view->extra;
    enum hp_metric metric = view->options.metric;
    hp_fixed total = view->head.total.of[metric];
    hp_node_id node = view->rows.at[row].node;
    struct hp_amount flat = hp_top_flat(&neighbors->top, node, metric);
    struct hp_amount cum = hp_top_cum(&neighbors->top, node, metric);
    struct hp_text_estimate text;
    hp_text_row_estimate(&text, view, &cum);
    hp_sink_text(out, "\n");
    put_neighbors(peek, row, cum.sum, false);
    hp_sink_text(out, HP_TEXT_ROW);
    put_flat(peek, flat.sum, &text);
    put_cum(peek, &cum, &text, total);
    put_name(peek, node);
    put_neighbors(peek, row, cum.sum, true);
}

static hp_fixed flat_of(const struct hp_view *view, size_t row) {
    const struct hp_neighbors *neighbors = view->extra;
    return hp_top_flat(&neighbors->top, view->rows.at[row].node, view->options.metric)
        .sum;
}

void hp_text_peek(struct hp_sink *out, const struct hp_view *view) {
    size_t count = view->rows.count, shown = hp_view_shown(view, count);
    hp_fixed rest = 0;
    struct peek peek = {.out = out, .view = view};
    measure(&peek, shown);
    fit(&peek);
    name_all(&peek, shown);
    hp_text_head(out, view);
    put_titles(&peek);
    for (size_t i = 0; i < shown; i++) {
        put_area(&peek, i);
    }
    for (size_t i = shown; i < count; i++) {
        rest += flat_of(view, i);
    }
    hp_text_names_free(peek.names);
    hp_sink_text(out, "\n");
    if (shown < count) {
        hp_text_rest(out, view, count - shown, hp_granularity_text(view->options.by),
                     rest);
    }
    if (!peek.parts[ERROR].is_gone) {
        hp_text_error_note(out, view);
    }
    hp_text_folding_notes(out, view);
}
