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

#include "view/chosen.h"
#include "view/neighbors.h"

struct peek {
    struct hp_sink *out;
    const struct hp_neighbors *neighbors;
    const struct hp_report_options *options;
    bool has_errors;
};

enum {
    INDENT = HP_COLUMN + 8, // of what has no flat
};

static void put_titles(const struct peek *peek) {
    const struct hp_report_options *options = peek->options;
    hp_sink_print(peek->out, "%s%*s  flat%% %*s   cum%%", options->color ? "\033[1m" : "",
                  HP_COLUMN, "flat", HP_COLUMN, "cum");
    if (peek->has_errors) {
        hp_sink_text(peek->out, " ");
        hp_text_error_title(peek->out, options);
    }
    hp_sink_print(peek->out, "  %s%s\n", hp_text_row_name(options->by),
                  options->color ? "\033[0m" : "");
}

static void put_cum(const struct peek *peek, hp_fixed value, hp_fixed whole,
                    const struct hp_error *error) {
    hp_text_value(peek->out, value, peek->options, HP_COLUMN);
    hp_sink_text(peek->out, " ");
    hp_text_percent(peek->out, value, whole);
    if (peek->has_errors) {
        hp_sink_text(peek->out, " ");
        hp_text_error(peek->out, value, error, peek->options);
    }
    hp_sink_text(peek->out, "  ");
}

static void put_name(const struct peek *peek, hp_node_id node) {
    hp_sink_escaped(peek->out, hp_node_name(&peek->neighbors->table.naming, node));
    hp_sink_text(peek->out, "\n");
}

static void put_neighbors(const struct peek *peek, const struct hp_neighborhood *area,
                          bool are_callees) {
    const struct hp_neighbor *all =
        peek->neighbors->all.at + area->first + (are_callees ? area->callers : 0);
    size_t count = are_callees ? area->callees : area->callers;
    size_t shown = hp_chosen_rows(peek->options, count);
    for (size_t i = 0; i < shown; i++) {
        bool is_end = are_callees ? i + 1 == count : i == 0;
        hp_sink_print(peek->out, "%*s", INDENT, "");
        put_cum(peek, all[i].value, area->row.cum, &all[i].error);
        hp_sink_text(peek->out, !is_end ? "├ " : are_callees ? "└ " : "┌ ");
        put_name(peek, all[i].node);
    }
    if (shown < count) {
        hp_sink_print(peek->out, "%*s… %zu more\n", INDENT, "", count - shown);
    }
}

static void put_area(const struct peek *peek, const struct hp_neighborhood *area) {
    hp_fixed total = peek->neighbors->table.total;
    hp_sink_text(peek->out, "\n");
    put_neighbors(peek, area, false);
    hp_text_value(peek->out, area->row.flat, peek->options, HP_COLUMN);
    hp_sink_text(peek->out, " ");
    hp_text_percent(peek->out, area->row.flat, total);
    hp_sink_text(peek->out, " ");
    put_cum(peek, area->row.cum, total, &area->row.cum_error);
    put_name(peek, area->row.node);
    put_neighbors(peek, area, true);
}

void hp_text_peek(struct hp_sink *out, const struct hp_profile *profile,
                  const struct hp_report_options *options) {
    struct hp_neighbors neighbors;
    hp_neighbors_init(&neighbors, profile, options);
    struct peek peek = {out, &neighbors, options, hp_text_has_errors(profile, options)};
    hp_text_header(out, &neighbors.table.naming, options);
    put_titles(&peek);
    size_t count = neighbors.rows.count, shown = hp_chosen_rows(options, count);
    for (size_t i = 0; i < shown; i++) {
        put_area(&peek, &neighbors.rows.at[i]);
    }
    hp_sink_text(out, "\n");
    if (shown < count) {
        hp_sink_print(out, "… %zu more: --limit=0 shows all\n", count - shown);
    }
    if (peek.has_errors) {
        hp_text_error_notes(out, options);
    }
    hp_neighbors_done(&neighbors);
}
