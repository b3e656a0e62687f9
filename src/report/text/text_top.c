//           flat  flat%   sum%           cum   cum%       ± 95%   function
//      153.5 MiB  73.7%  73.7%     161.5 MiB  77.6%    17.5 MiB   small
//
// The first columns are those of jeprof and pprof: flat is what a function allocates
// itself, sum% adds up flat%, cum is flat and all that it calls.  What sampling leaves open
// of flat, or of cum where it is sorted by, follows.
#include "report/text/text.h"

#include "view/chosen.h"
#include "view/spread.h"
#include "view/table.h"

#include <math.h>

const char *hp_text_row_name(enum hp_granularity by) {
    static const char *const names[] = {
        [HP_BY_FUNCTION] = "function", [HP_BY_LINE] = "line",
        [HP_BY_FILE] = "file",         [HP_BY_MODULE] = "module",
        [HP_BY_ADDRESS] = "address",   [HP_BY_INPUT] = "input",
        [HP_BY_THREAD] = "thread",     [HP_BY_LABEL] = "label",
    };
    return names[by];
}

struct top {
    struct hp_table table;
    struct hp_spread spread; // if wanted
    const struct hp_report_options *options;
};

enum {
    P_WIDTH = 8,
    MOST_OUTLIERS = 10,
};

static bool has_errors(const struct hp_table *table) {
    return table->has_flat_errors || table->has_cum_errors;
}

static void put_column_names(struct hp_sink *out, const struct top *top) {
    const struct hp_report_options *options = top->options;
    hp_sink_print(out, "%s%*s  flat%%   sum%% %*s   cum%%",
                  options->color ? "\033[1m" : "", HP_COLUMN, "flat", HP_COLUMN, "cum");
    if (has_errors(&top->table)) {
        hp_sink_text(out, " ");
        hp_text_error_title(out, options);
    }
    if (options->spread) {
        hp_sink_print(out, " %*s %*s", HP_COLUMN, "spread", P_WIDTH, "p");
    }
    hp_sink_print(out, "  %s%s\n", hp_text_row_name(options->by),
                  options->color ? "\033[0m" : "");
}

static void put_spread(struct hp_sink *out, const struct hp_spread_row *spread,
                       const struct hp_report_options *options) {
    hp_sink_text(out, " ");
    if (isnan(spread->sd)) {
        hp_sink_print(out, "%*s", HP_COLUMN, "-");
    } else {
        hp_text_value(out, hp_text_fixed(spread->sd, options->metric), options,
                      HP_COLUMN);
    }
    hp_sink_text(out, " ");
    hp_text_p(out, spread->p, P_WIDTH);
}

static void put_row(struct hp_sink *out, const struct top *top, const struct hp_row *row,
                    hp_fixed sum) {
    const struct hp_report_options *options = top->options;
    const struct hp_table *table = &top->table;
    hp_text_value(out, row->flat, options, HP_COLUMN);
    hp_sink_text(out, " ");
    hp_text_percent(out, row->flat, table->total);
    hp_sink_text(out, " ");
    hp_text_percent(out, sum, table->total);
    hp_sink_text(out, " ");
    hp_text_value(out, row->cum, options, HP_COLUMN);
    hp_sink_text(out, " ");
    hp_text_percent(out, row->cum, table->total);
    if (has_errors(table)) {
        bool is_cum = table->has_cum_errors;
        hp_sink_text(out, " ");
        hp_text_error(out, is_cum ? row->cum : row->flat,
                      is_cum ? &row->cum_error : &row->flat_error, options);
    }
    if (options->spread) {
        put_spread(out, &top->spread.rows[row->node.n], options);
    }
    hp_sink_text(out, "  ");
    hp_sink_escaped(out, hp_node_name(&table->naming, row->node));
    hp_sink_text(out, "\n");
}

static void put_spread_notes(struct hp_sink *out, const struct top *top) {
    const struct hp_spread *spread = &top->spread;
    const struct hp_profile *profile = top->table.naming.profile;
    enum hp_metric metric = top->options->metric;
    hp_sink_text(
        out,
        "spread is the standard deviation between inputs beyond sampling; p is "
        "the chance that sampling alone makes them differ as much; - is not known\n");
    for (size_t i = 0; i < spread->outliers.count && i < MOST_OUTLIERS; i++) {
        const struct hp_outlier *outlier = &spread->outliers.at[i];
        char value[HP_NUMBER_SIZE], others[HP_NUMBER_SIZE];
        hp_text_format(value, outlier->value, metric, top->options->unit);
        hp_text_format(others, hp_text_fixed(outlier->others, metric), metric,
                       top->options->unit);
        hp_sink_print(out, "%s with %s, others have %s on average, p ",
                      i == 0 ? "stands out: " : "            ", value, others);
        hp_text_p(out, outlier->p, 0);
        hp_sink_text(out, "  ");
        hp_sink_escaped(out, hp_span_of(profile->inputs.at[outlier->input].public.name));
        hp_sink_text(out, "\n");
    }
    if (spread->outliers.count > MOST_OUTLIERS) {
        hp_sink_print(out, "            and %zu more\n",
                      spread->outliers.count - MOST_OUTLIERS);
    }
}

static void put_rows(struct hp_sink *out, const struct top *top) {
    const struct hp_table *table = &top->table;
    size_t count = table->rows.count, limit = hp_chosen_rows(top->options, count);
    hp_fixed sum = 0;
    for (size_t i = 0; i < limit; i++) {
        sum += table->rows.at[i].flat;
        put_row(out, top, &table->rows.at[i], sum);
    }
    if (limit < count) {
        hp_text_rest(out, count - limit, hp_text_row_name(top->options->by),
                     table->left - sum, table->total);
    }
}

void hp_text_top(struct hp_sink *out, const struct hp_profile *profile,
                 const struct hp_report_options *options) {
    struct top top = {.options = options};
    hp_table_init(&top.table, profile, options, HP_TABLE_SORTED_ERRORS);
    if (options->spread) {
        hp_spread_init(&top.spread, &top.table.naming, options);
    }
    hp_text_header(out, &top.table.naming, options);
    put_column_names(out, &top);
    put_rows(out, &top);
    if (has_errors(&top.table)) {
        hp_text_error_notes(out, options);
    }
    if (options->spread) {
        put_spread_notes(out, &top);
    }
    hp_spread_done(&top.spread);
    hp_table_done(&top.table);
}
