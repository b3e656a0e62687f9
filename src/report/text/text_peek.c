//         flat  flat%           cum   cum%        cum at 95%   function
//
//                           8.0 MiB  76.2%    6.1 … 10.3 MiB   ┌ main
//                           2.5 MiB  23.8%     1.5 … 3.9 MiB   ├ run
//     10.5 MiB  12.9%      10.5 MiB  12.9%    8.4 … 13.0 MiB   f
//                           1.0 MiB   9.5%     0.4 … 2.1 MiB   └ g
//
// Above a function who calls it, below it whom it calls, each with its share of what the
// function holds: what of that goes this way.
#include "report/text/text.h"

#include "view/report_peek.h"

enum {
    INDENT = HP_AMOUNT_WIDTH + 8, // of what has no flat
};

static void put_titles(struct hp_sink *out, const struct hp_view *view) {
    hp_sink_print(out, "%s%*s  flat%% %*s   cum%%", hp_text_bold(view), HP_AMOUNT_WIDTH,
                  "flat", HP_AMOUNT_WIDTH, "cum");
    if (hp_text_has_errors(view)) {
        hp_sink_text(out, " ");
        hp_text_error_title(out, view, "cum");
    }
    hp_sink_print(out, "  %s%s\n", hp_granularity_text(view->options.by),
                  hp_text_plain(view));
}

static void put_cum(struct hp_sink *out, const struct hp_view *view,
                    const struct hp_amount *cum, const struct hp_text_estimate *text,
                    hp_fixed whole) {
    hp_text_put(out, text->value, HP_AMOUNT_WIDTH);
    hp_sink_text(out, " ");
    hp_text_percent(out, cum->sum, whole);
    if (hp_text_has_errors(view)) {
        hp_sink_text(out, " ");
        hp_text_error(out, view, cum, text);
    }
    hp_sink_text(out, "  ");
}

static void put_name(struct hp_sink *out, const struct hp_view *view, hp_node_id node) {
    hp_sink_escaped(out, hp_view_node(view, node));
    hp_sink_text(out, "\n");
}

static void put_neighbors(struct hp_sink *out, const struct hp_view *view, size_t row,
                          hp_fixed whole, bool are_callees) {
    const struct hp_neighbors *neighbors = view->extra;
    const struct hp_neighborhood *area = &neighbors->areas.at[row];
    const struct hp_neighbor *all =
        neighbors->all.at + area->first + (are_callees ? area->callers : 0);
    size_t count = are_callees ? area->callees : area->callers;
    size_t shown = hp_neighbors_shown(view, row, are_callees);
    for (size_t i = 0; i < shown; i++) {
        bool is_end = are_callees ? i + 1 == count : i == 0;
        struct hp_amount value = {.sum = all[i].value, .error = &all[i].error};
        struct hp_text_estimate text;
        hp_text_row_estimate(&text, view, &value);
        hp_sink_print(out, "%*s", INDENT, "");
        put_cum(out, view, &value, &text, whole);
        hp_sink_text(out, !is_end ? "├ " : are_callees ? "└ " : "┌ ");
        put_name(out, view, all[i].node);
    }
    if (shown < count) {
        char most[HP_NUMBER_SIZE];
        hp_text_format(most, all[shown].value, view->options.metric, view->options.unit);
        hp_sink_print(out, "%*s… %zu more, none of more than %s\n", INDENT, "",
                      count - shown, most);
    }
}

static void put_area(struct hp_sink *out, const struct hp_view *view, size_t row) {
    const struct hp_neighbors *neighbors = view->extra;
    enum hp_metric metric = view->options.metric;
    hp_fixed total = view->head.total.of[metric];
    hp_node_id node = view->rows.at[row].node;
    struct hp_amount flat = hp_top_flat(&neighbors->top, node, metric);
    struct hp_amount cum = hp_top_cum(&neighbors->top, node, metric);
    struct hp_text_estimate text;
    hp_text_row_estimate(&text, view, &cum);
    hp_sink_text(out, "\n");
    put_neighbors(out, view, row, cum.sum, false);
    hp_text_value_of(out, view, flat.sum, &text, HP_AMOUNT_WIDTH);
    hp_sink_text(out, " ");
    hp_text_percent(out, flat.sum, total);
    hp_sink_text(out, " ");
    put_cum(out, view, &cum, &text, total);
    put_name(out, view, node);
    put_neighbors(out, view, row, cum.sum, true);
}

static hp_fixed flat_of(const struct hp_view *view, size_t row) {
    const struct hp_neighbors *neighbors = view->extra;
    return hp_top_flat(&neighbors->top, view->rows.at[row].node, view->options.metric)
        .sum;
}

void hp_text_peek(struct hp_sink *out, const struct hp_view *view) {
    size_t count = view->rows.count, shown = hp_view_shown(view, count);
    hp_fixed rest = 0;
    hp_text_head(out, view);
    put_titles(out, view);
    for (size_t i = 0; i < shown; i++) {
        put_area(out, view, i);
    }
    for (size_t i = shown; i < count; i++) {
        rest += flat_of(view, i);
    }
    hp_sink_text(out, "\n");
    if (shown < count) {
        hp_text_rest(out, view, count - shown, hp_granularity_text(view->options.by),
                     rest);
    }
    if (hp_text_has_errors(view)) {
        hp_text_error_note(out, view);
    }
    hp_text_charges(out, view);
}
