// For programs.  One object, always with these keys in this order:
//
//     {"schema": "hprof-agg.top/1", "command": "top", "by": "function",
//      "label": "host", if by label,
//      "estimator": "horvitz-thompson", "metric": "inuse-space", "confidence": 0.95,
//      "thread": "worker", if that alone was read,
//      "inputs": {"used": 3, "skipped": 0, "reasons": {}, "periods": [524288], "stacks": 1234},
//      "total": {"inuse-space": NUMBER or null, "inuse-objects": NUMBER or null,
//                "alloc-space": NUMBER or null, "alloc-objects": NUMBER or null},
//      "unseen": {"estimate": 1.5, "high": 2.5, "stack": 3.5} or null,
//      "rows": [{"name": "f", "flat": NUMBERS, "cum": NUMBERS,
//                "effective_samples": 12.3, "flags": ["few-samples"]}, ...],
//      "warnings": ["..."]}
//
// NUMBER is {"estimate": 1.500, "low": 1, "high": 2}; low and high are null where nothing is
// known, and NUMBERS are as in "total".  "effective_samples" and "flags" are of flat, in the
// metric asked for; with --spread also "spread": {"mean", "sd", "p"}, and after the rows
// "outliers": [{"input", "value", "others", "p", "q"}].  With filters there are also, after
// "unseen", "filters": [{"rule": "focus", "pattern": "f"}] and "left": NUMBERS.  Flags are
// "few-samples", "seen-once" and "mixed-sizes".  Rows of stacks have "frames", leaf first,
// "truncated", and "value" instead of flat and cum.
#include "report/json/json.h"

#include "model/metrics.h"
#include "report/json/jsonhead.h"
#include "report/json/jsontext.h"
#include "report/report.h"
#include "stats/measure.h"
#include "view/chosen.h"
#include "view/spread.h"
#include "view/table.h"
#include "view/traces.h"

#include <stdio.h>

enum {
    FEW_SAMPLES = 5,
};

static void put_quality(const struct hp_json_report *w, hp_fixed value,
                        const struct hp_error *error) {
    enum hp_metric metric = w->options->metric;
    bool is_known =
        w->precision.is_known[hp_column_of(metric)] && hp_measure_is_known(error, metric);
    double samples = hp_precision_samples(&w->precision, value, error, metric);
    hp_json_key(w->out, "effective_samples");
    hp_json_double(w->out, samples);
    const char *flag = "";
    if (error->flags != 0 && !is_known) {
        flag = "\"mixed-sizes\"";
    } else if (error->samples == 1 && error->period > 0) {
        flag = "\"few-samples\", \"seen-once\"";
    } else if (samples < FEW_SAMPLES) {
        flag = "\"few-samples\"";
    }
    hp_sink_print(w->out, ", \"flags\": [%s]", flag);
}

// --- top ----------------------------------------------------------------------------------

// A table for each metric: the same nodes, each in its own order.
struct tables {
    struct hp_table of[HP_METRICS];
    uint32_t *row[HP_METRICS]; // of each node
};

static void tables_init(struct tables *tables, const struct hp_json_report *w) {
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        struct hp_report_options options = *w->options;
        struct hp_table *table = &tables->of[metric];
        options.metric = metric;
        hp_table_init(table, w->profile, &options, HP_TABLE_BOTH_ERRORS);
        uint32_t *row =
            hp_alloc(table->naming.names.strings.count * sizeof *tables->row[metric]);
        for (uint32_t i = 0; i < table->rows.count; i++) {
            row[table->rows.at[i].node.n] = i;
        }
        tables->row[metric] = row;
    }
}

static void tables_done(struct tables *tables) {
    for (int i = 0; i < HP_METRICS; i++) {
        hp_table_done(&tables->of[i]);
        free(tables->row[i]);
    }
}

static void put_spread(const struct hp_json_report *w, const struct hp_spread_row *row) {
    hp_sink_text(w->out, ",\n   \"spread\": {\"mean\": ");
    hp_json_double(w->out, row->mean);
    hp_sink_text(w->out, ", \"sd\": ");
    hp_json_double(w->out, row->sd);
    hp_sink_text(w->out, ", \"p\": ");
    hp_json_p(w->out, row->p);
    hp_sink_text(w->out, "}");
}

static void put_outliers(const struct hp_json_report *w, const struct hp_spread *spread) {
    hp_sink_text(w->out, "],\n \"outliers\": [");
    for (size_t i = 0; i < spread->outliers.count; i++) {
        const struct hp_outlier *outlier = &spread->outliers.at[i];
        const char *name = w->profile->inputs.at[outlier->input].public.name;
        hp_sink_text(w->out, i > 0 ? ",\n  {\"input\": " : "\n  {\"input\": ");
        hp_json_string(w->out, hp_span_of(name));
        hp_sink_text(w->out, ", \"value\": ");
        hp_json_fixed(w->out, outlier->value, w->options->metric);
        hp_sink_text(w->out, ", \"others\": ");
        hp_json_double(w->out, outlier->others);
        hp_sink_text(w->out, ", \"p\": ");
        hp_json_p(w->out, outlier->p);
        hp_sink_text(w->out, ", \"q\": ");
        hp_json_p(w->out, outlier->q);
        hp_sink_text(w->out, "}");
    }
}

static void put_row(const struct hp_json_report *w, const struct tables *tables,
                    hp_node_id node) {
    struct hp_values flat, cum;
    struct hp_error flat_errors[HP_COLUMNS], cum_errors[HP_COLUMNS];
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        const struct hp_table *table = &tables->of[metric];
        const struct hp_row *row = &table->rows.at[tables->row[metric][node.n]];
        flat.of[metric] = row->flat;
        cum.of[metric] = row->cum;
        flat_errors[hp_column_of(metric)] = row->flat_error;
        cum_errors[hp_column_of(metric)] = row->cum_error;
    }
    enum hp_metric metric = w->options->metric;
    hp_json_key(w->out, "flat");
    hp_json_numbers(w, &flat, flat_errors);
    hp_sink_text(w->out, ",\n   ");
    hp_json_key(w->out, "cum");
    hp_json_numbers(w, &cum, cum_errors);
    hp_sink_text(w->out, ",\n   ");
    put_quality(w, flat.of[metric], &flat_errors[hp_column_of(metric)]);
}

static void write_top(const struct hp_json_report *w) {
    struct tables tables;
    struct hp_spread spread = {0};
    tables_init(&tables, w);
    const struct hp_table *table = &tables.of[w->options->metric];
    if (w->options->spread) {
        hp_spread_init(&spread, &table->naming, w->options);
    }
    hp_json_begin(w, &table->naming, "top");
    for (size_t i = 0; i < hp_chosen_rows(w->options, table->rows.count); i++) {
        hp_node_id node = table->rows.at[i].node;
        hp_sink_text(w->out, i > 0 ? ",\n  {\"name\": " : "\n  {\"name\": ");
        hp_json_string(w->out, hp_node_name(&table->naming, node));
        hp_sink_text(w->out, ",\n   ");
        put_row(w, &tables, node);
        if (w->options->spread) {
            put_spread(w, &spread.rows[node.n]);
        }
        hp_sink_text(w->out, "}");
    }
    if (w->options->spread) {
        put_outliers(w, &spread);
    }
    hp_sink_text(w->out, "]");
    hp_json_foot(w->out, w->profile);
    hp_spread_done(&spread);
    tables_done(&tables);
}

// --- stacks -------------------------------------------------------------------------------

static void put_frames(const struct hp_json_report *w, const struct hp_traces *traces,
                       const struct hp_trace *trace) {
    hp_sink_text(w->out, "{\"frames\": [");
    for (uint32_t i = 0; i < trace->depth; i++) {
        hp_sink_text(w->out, i > 0 ? ", " : "");
        hp_json_string(w->out, hp_node_name(&traces->naming, trace->nodes[i]));
    }
    hp_sink_print(w->out, "], \"truncated\": %s,\n   ",
                  trace->truncated ? "true" : "false");
}

static void write_stacks(const struct hp_json_report *w) {
    enum hp_metric metric = w->options->metric;
    struct hp_traces traces;
    hp_traces_init(&traces, w->profile, w->options);
    hp_traces_sort_by(&traces, metric);
    hp_json_begin(w, &traces.naming, "stacks");
    for (size_t i = 0; i < hp_chosen_rows(w->options, traces.traces.count); i++) {
        const struct hp_trace *trace = &traces.traces.at[i];
        hp_sink_text(w->out, i > 0 ? ",\n  " : "\n  ");
        put_frames(w, &traces, trace);
        hp_json_key(w->out, "value");
        hp_json_numbers(w, &trace->values, trace->errors);
        hp_sink_text(w->out, ",\n   ");
        put_quality(w, trace->values.of[metric], &trace->errors[hp_column_of(metric)]);
        hp_sink_text(w->out, "}");
    }
    hp_sink_text(w->out, "]");
    hp_json_foot(w->out, w->profile);
    hp_traces_done(&traces);
}

static void write_json(struct hp_sink *out, const struct hp_profile *profile,
                       const struct hp_report_options *options) {
    struct hp_json_report w = {
        .out = out,
        .profile = profile,
        .options = options,
    };
    hp_precision_init(&w.precision, profile, options);
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        w.has_metric[metric] = hp_profile_has_metric(profile, metric);
    }
    if (options->kind == HP_REPORT_DIFF) {
        hp_json_diff(out, profile, options);
    } else if (options->kind == HP_REPORT_TREND) {
        hp_json_trend(out, profile, options);
    } else if (options->kind == HP_REPORT_STACKS) {
        write_stacks(&w);
    } else if (options->kind == HP_REPORT_TREE) {
        hp_json_tree(&w);
    } else if (options->kind == HP_REPORT_PEEK) {
        hp_json_peek(&w);
    } else if (options->kind == HP_REPORT_LIST) {
        hp_json_list(&w);
    } else if (options->kind == HP_REPORT_INFO) {
        hp_json_info(out, profile);
    } else {
        write_top(&w);
    }
}

const struct hp_format_writer hp_json_writer = {
    .name = "json",
    .files = "*.json",
    .help = "one object with intervals, for programs",
    .kinds = 1 << HP_REPORT_TOP | 1 << HP_REPORT_STACKS | 1 << HP_REPORT_DIFF |
             1 << HP_REPORT_TREND | 1 << HP_REPORT_TREE | 1 << HP_REPORT_PEEK |
             1 << HP_REPORT_LIST | 1 << HP_REPORT_INFO,
    .has_rows = true,
    .write = write_json,
};
