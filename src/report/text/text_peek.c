//         flat  flat%           cum   cum%       ± 95%   function
//
//                           8.0 MiB  76.2%     2.0 MiB   ┌ main
//                           2.5 MiB  23.8%     1.1 MiB   ├ run
//     10.5 MiB  12.9%      10.5 MiB  12.9%     2.3 MiB   f
//                           1.0 MiB   9.5%   890.2 KiB   └ g
//
// Above a function who calls it, below it whom it calls, each with its share of what the
// function holds: what of that goes this way.
#include "report/text/text.h"

#include "view/report_peek.h"

struct peek {
    struct hp_sink *out;
    const struct hp_view *view;
};

enum {
    INDENT = HP_AMOUNT_WIDTH + 8, // of what has no flat
};

static void put_titles(const struct peek *peek) {
    hp_sink_print(peek->out, "%s%*s  flat%% %*s   cum%%", hp_text_bold(peek->view),
                  HP_AMOUNT_WIDTH, "flat", HP_AMOUNT_WIDTH, "cum");
    if (hp_text_has_errors(peek->view)) {
        hp_sink_text(peek->out, " ");
        hp_text_error_title(peek->out, peek->view);
    }
    hp_sink_print(peek->out, "  %s%s\n", hp_granularity_text(peek->view->options.by),
                  hp_text_plain(peek->view));
}

static void put_cum(const struct peek *peek, const struct hp_amount *cum,
                    hp_fixed whole) {
    hp_text_value(peek->out, peek->view, cum->sum, HP_AMOUNT_WIDTH);
    hp_sink_text(peek->out, " ");
    hp_text_percent(peek->out, cum->sum, whole);
    if (hp_text_has_errors(peek->view)) {
        hp_sink_text(peek->out, " ");
        hp_text_error(peek->out, peek->view, cum);
    }
    hp_sink_text(peek->out, "  ");
}

static void put_name(const struct peek *peek, hp_node_id node) {
    hp_sink_escaped(peek->out, hp_view_node(peek->view, node));
    hp_sink_text(peek->out, "\n");
}

static void put_neighbors(const struct peek *peek, size_t row, hp_fixed whole,
                          bool are_callees) {
    const struct hp_neighbors *neighbors = peek->view->extra;
    const struct hp_neighborhood *area = &neighbors->areas.at[row];
    const struct hp_neighbor *all =
        neighbors->all.at + area->first + (are_callees ? area->callers : 0);
    size_t count = are_callees ? area->callees : area->callers;
    size_t shown = hp_view_shown(peek->view, count);
    for (size_t i = 0; i < shown; i++) {
        bool is_end = are_callees ? i + 1 == count : i == 0;
        struct hp_amount value = {.sum = all[i].value, .error = &all[i].error};
        hp_sink_print(peek->out, "%*s", INDENT, "");
        put_cum(peek, &value, whole);
        hp_sink_text(peek->out, !is_end ? "├ " : are_callees ? "└ " : "┌ ");
        put_name(peek, all[i].node);
    }
    if (shown < count) {
        hp_sink_print(peek->out, "%*s… %zu more\n", INDENT, "", count - shown);
    }
}

static void put_area(const struct peek *peek, size_t row) {
    const struct hp_neighbors *neighbors = peek->view->extra;
    enum hp_metric metric = peek->view->options.metric;
    hp_fixed total = peek->view->head.total.of[metric];
    hp_node_id node = peek->view->rows.at[row].node;
    struct hp_amount flat = hp_top_flat(&neighbors->top, node, metric);
    struct hp_amount cum = hp_top_cum(&neighbors->top, node, metric);
    hp_sink_text(peek->out, "\n");
    put_neighbors(peek, row, cum.sum, false);
    hp_text_value(peek->out, peek->view, flat.sum, HP_AMOUNT_WIDTH);
    hp_sink_text(peek->out, " ");
    hp_text_percent(peek->out, flat.sum, total);
    hp_sink_text(peek->out, " ");
    put_cum(peek, &cum, total);
    put_name(peek, node);
    put_neighbors(peek, row, cum.sum, true);
}

void hp_text_peek(struct hp_sink *out, const struct hp_view *view) {
    struct peek peek = {out, view};
    size_t count = view->rows.count, shown = hp_view_shown(view, count);
    hp_text_head(out, view);
    put_titles(&peek);
    for (size_t i = 0; i < shown; i++) {
        put_area(&peek, i);
    }
    hp_sink_text(out, "\n");
    if (shown < count) {
        hp_sink_print(out, "… %zu more: --limit=0 shows all\n", count - shown);
    }
    if (hp_text_has_errors(view)) {
        hp_text_error_note(out, view);
    }
}
