// Tab-separated tables of one metric for scripts: a line of titles, then one line a row.
//
//     flat flat_low flat_high cum cum_low cum_high effective_samples
//         [spread_mean spread_sd spread_p] name function module file line
//
//     value value_low value_high effective_samples stack
//
// A stack is its names from the root with ';' between, one within a name being \;.
#include "report/tsv/tsv.h"

#include "report/report.h"
#include "view/chosen.h"
#include "view/precision.h"
#include "view/spread.h"
#include "view/table.h"
#include "view/traces.h"

#include <string.h>

struct writer {
    struct hp_sink *out;
    const struct hp_profile *profile;
    const struct hp_report_options *options;
    struct hp_precision precision;
};

static void put_value(const struct writer *w, hp_fixed value,
                      const struct hp_error *error) {
    enum hp_metric metric = w->options->metric;
    hp_tsv_fixed(w->out, value, metric);
    hp_tsv_interval(w->out, hp_precision_range(&w->precision, value, error, metric));
}

static void put_samples(const struct writer *w, hp_fixed value,
                        const struct hp_error *error) {
    hp_tsv_double(w->out,
                  hp_precision_samples(&w->precision, value, error, w->options->metric));
}

static void put_row(const struct writer *w, const struct hp_row *row) {
    put_value(w, row->flat, &row->flat_error);
    hp_sink_text(w->out, "\t");
    put_value(w, row->cum, &row->cum_error);
    put_samples(w, row->flat, &row->flat_error);
}

static void put_spread(const struct writer *w, const struct hp_spread_row *row) {
    hp_tsv_double(w->out, row->mean);
    hp_tsv_double(w->out, row->sd);
    hp_tsv_p(w->out, row->p);
}

static void write_top(const struct writer *w) {
    struct hp_table table;
    struct hp_spread spread = {0};
    hp_table_init(&table, w->profile, w->options, HP_TABLE_BOTH_ERRORS);
    struct hp_origin *origins = hp_origins_new(&table.naming);
    if (w->options->spread) {
        hp_spread_init(&spread, &table.naming, w->options);
    }
    hp_sink_text(w->out,
                 "flat\tflat_low\tflat_high\tcum\tcum_low\tcum_high\t"
                 "effective_samples");
    hp_sink_text(w->out, w->options->spread ? "\tspread_mean\tspread_sd\tspread_p" : "");
    hp_sink_text(w->out, hp_tsv_place_titles);
    for (size_t i = 0; i < hp_chosen_rows(w->options, table.rows.count); i++) {
        const struct hp_row *row = &table.rows.at[i];
        put_row(w, row);
        if (w->options->spread) {
            put_spread(w, &spread.rows[row->node.n]);
        }
        hp_tsv_place(w->out, &table.naming, row->node, origins);
    }
    hp_spread_done(&spread);
    free(origins);
    hp_table_done(&table);
}

static void put_name(struct hp_sink *out, struct hp_span name) {
    const char *semicolon;
    while ((semicolon = memchr(name.at, ';', name.size)) != NULL) {
        size_t size = (size_t)(semicolon - name.at);
        hp_tsv_text(out, (struct hp_span){name.at, size});
        hp_sink_text(out, "\\;");
        name = hp_span_from(name, size + 1);
    }
    hp_tsv_text(out, name);
}

static void put_stack(struct hp_sink *out, const struct hp_naming *naming,
                      const struct hp_trace *trace) {
    if (trace->truncated) {
        put_name(out, hp_node_name(naming, naming->truncated));
        hp_sink_text(out, ";");
    }
    for (uint32_t i = trace->depth; i-- > 0;) {
        put_name(out, hp_node_name(naming, trace->nodes[i]));
        hp_sink_text(out, i > 0 ? ";" : "\n");
    }
}

static void write_stacks(const struct writer *w) {
    enum hp_metric metric = w->options->metric;
    enum hp_column column = hp_column_of(metric);
    struct hp_traces traces;
    hp_traces_init(&traces, w->profile, w->options);
    hp_traces_sort_by(&traces, metric);
    hp_sink_text(w->out, "value\tvalue_low\tvalue_high\teffective_samples\tstack\n");
    for (size_t i = 0; i < hp_chosen_rows(w->options, traces.traces.count); i++) {
        const struct hp_trace *trace = &traces.traces.at[i];
        put_value(w, trace->values.of[metric], &trace->errors[column]);
        put_samples(w, trace->values.of[metric], &trace->errors[column]);
        hp_sink_text(w->out, "\t");
        put_stack(w->out, &traces.naming, trace);
    }
    hp_traces_done(&traces);
}

static void write_tsv(struct hp_sink *out, const struct hp_profile *profile,
                      const struct hp_report_options *options) {
    struct writer w = {.out = out, .profile = profile, .options = options};
    hp_precision_init(&w.precision, profile, options);
    if (options->kind == HP_REPORT_DIFF) {
        hp_tsv_diff(out, profile, options);
    } else if (options->kind == HP_REPORT_TREND) {
        hp_tsv_trend(out, profile, options);
    } else if (options->kind == HP_REPORT_STACKS) {
        write_stacks(&w);
    } else {
        write_top(&w);
    }
}

const struct hp_format_writer hp_tsv_writer = {
    .name = "tsv",
    .files = "*.tsv *.tab",
    .help = "a line of titles, then one line a row with tabs between its cells",
    .kinds = 1 << HP_REPORT_TOP | 1 << HP_REPORT_STACKS | 1 << HP_REPORT_DIFF |
             1 << HP_REPORT_TREND,
    .has_rows = true,
    .write = write_tsv,
};
