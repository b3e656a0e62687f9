//           flat  flat%   sum%           cum   cum%       ± 95%   function
//      153.5 MiB  73.7%  73.7%     161.5 MiB  77.6%    17.5 MiB   small
//
// The first columns are those of jeprof and pprof: flat is what a function allocates
// itself, sum% adds up flat%, cum is flat and all that it calls.  What sampling leaves open
// of flat, or of cum where it is sorted by, follows.
#include "report/text.h"

#include "view/table.h"

const char *hp_text_row_name(enum hp_granularity by) {
    static const char *const names[] = {
        [HP_BY_FUNCTION] = "function", [HP_BY_LINE] = "line",       [HP_BY_FILE] = "file",
        [HP_BY_MODULE] = "module",     [HP_BY_ADDRESS] = "address",
    };
    return names[by];
}

static bool has_errors(const struct hp_table *table) {
    return table->has_flat_errors || table->has_cum_errors;
}

static void put_column_names(struct hp_sink *out, const struct hp_table *table,
                             const struct hp_report_options *options) {
    hp_sink_print(out, "%s%*s  flat%%   sum%% %*s   cum%%",
                  options->color ? "\033[1m" : "", HP_COLUMN, "flat", HP_COLUMN, "cum");
    if (has_errors(table)) {
        hp_sink_text(out, " ");
        hp_text_error_title(out, options);
    }
    hp_sink_print(out, "  %s%s\n", hp_text_row_name(options->by),
                  options->color ? "\033[0m" : "");
}

static void put_row(struct hp_sink *out, const struct hp_table *table,
                    const struct hp_row *row, hp_fixed sum,
                    const struct hp_report_options *options) {
    hp_fixed total = table->total;
    hp_text_value(out, row->flat, options, HP_COLUMN);
    hp_sink_text(out, " ");
    hp_text_percent(out, row->flat, total);
    hp_sink_text(out, " ");
    hp_text_percent(out, sum, total);
    hp_sink_text(out, " ");
    hp_text_value(out, row->cum, options, HP_COLUMN);
    hp_sink_text(out, " ");
    hp_text_percent(out, row->cum, total);
    if (has_errors(table)) {
        bool is_cum = table->has_cum_errors;
        hp_sink_text(out, " ");
        hp_text_error(out, is_cum ? row->cum : row->flat,
                      is_cum ? &row->cum_error : &row->flat_error, options);
    }
    hp_sink_text(out, "  ");
    hp_sink_escaped(out, hp_node_name(&table->naming, row->node));
    hp_sink_text(out, "\n");
}

void hp_text_top(struct hp_sink *out, const struct hp_profile *profile,
                 const struct hp_report_options *options) {
    struct hp_table table;
    hp_table_init(&table, profile, options, HP_TABLE_SORTED_ERRORS);
    hp_text_header(out, profile, options);
    put_column_names(out, &table, options);
    size_t limit = options->limit && options->limit < table.rows.count ? options->limit
                                                                       : table.rows.count;
    hp_fixed sum = 0, total = table.total;
    for (size_t i = 0; i < limit; i++) {
        sum += table.rows.at[i].flat;
        put_row(out, &table, &table.rows.at[i], sum, options);
    }
    if (limit < table.rows.count) {
        hp_text_rest(out, table.rows.count - limit, hp_text_row_name(options->by),
                     total - sum, total);
    }
    if (has_errors(&table)) {
        hp_text_error_notes(out, options);
    }
    hp_table_done(&table);
}
