// {"schema": "hprof-agg.trend/1", "command": "trend", "by": ..., "confidence": 0.95, "flat": true,
//  "test": "slope" or "first-to-last" or "none", "scatter_tested": whether p also counts that
//  values go up and down by themselves, for which it takes 4 dumps,
//  "inputs": {"used": 12, "skipped": 0, "reasons": {}, "periods": [524288]}, "hours": 3.5 or null,
//  "total": ROW, with filters also "filters" as in json.c and "left": ROW,
//  "rows": [{"name": "f", ROW}, ...], the surest growth first,
//  "warnings": ["..."]}
//
// ROW is "first", "last", "slope", "slope_low", "slope_high" (per hour, or per dump where "hours" is
// null), "p", "q", "tau", "grew": in how many of the intervals, "significant", "values".
#include "report/json/json.h"
#include "report/json/jsonhead.h"
#include "report/json/jsontext.h"
#include "view/chosen.h"
#include "view/trend.h"

static void put_double(struct hp_sink *out, const char *key, double value) {
    hp_sink_text(out, key);
    hp_json_double(out, value);
}

static void put_p(struct hp_sink *out, const char *key, double p) {
    hp_sink_text(out, key);
    hp_json_p(out, p);
}

static void put_values(struct hp_sink *out, const struct hp_trend *trend,
                       const struct hp_trend_row *row) {
    hp_sink_text(out, "\"values\": [");
    for (size_t i = 0; i < trend->dumps; i++) {
        hp_sink_text(out, i > 0 ? ", " : "");
        hp_json_double(out, row->values[i]);
    }
    hp_sink_text(out, "]}");
}

static void put_row(struct hp_sink *out, const struct hp_trend *trend,
                    const struct hp_trend_row *row,
                    const struct hp_report_options *options) {
    hp_sink_text(out, "\"first\": ");
    hp_json_fixed(out, row->first, options->metric);
    hp_sink_text(out, ", \"last\": ");
    hp_json_fixed(out, row->last, options->metric);
    put_double(out, ",\n   \"slope\": ", row->slope);
    put_double(out, ", \"slope_low\": ", row->slope - row->slope_error);
    put_double(out, ", \"slope_high\": ", row->slope + row->slope_error);
    put_p(out, ",\n   \"p\": ", row->p);
    put_p(out, ", \"q\": ", row->q);
    put_p(out, ", \"tau\": ", hp_trend_tau(trend, row));
    bool significant = hp_trend_is_significant(row, hp_chosen_confidence(options));
    hp_sink_print(out, ", \"grew\": %zu, \"significant\": %s,\n   ", row->grew,
                  significant ? "true" : "false");
    put_values(out, trend, row);
}

void hp_json_trend(struct hp_sink *out, const struct hp_profile *profile,
                   const struct hp_report_options *options) {
    struct hp_trend trend;
    hp_trend_init(&trend, profile, options);
    hp_json_head(out, profile, options, "trend");
    hp_sink_print(out, "\"flat\": %s, \"test\": \"%s\", \"scatter_tested\": %s,\n ",
                  options->sort == HP_SORT_CUM ? "false" : "true",
                  trend.test == HP_TEST_NONE            ? "none"
                  : trend.test == HP_TEST_PROCESS_ACCUM ? "first-to-last"
                                                        : "slope",
                  trend.is_fitted ? "true" : "false");
    hp_json_inputs(out, profile, HP_JSON_ALL);
    hp_sink_text(out, "}, \"hours\": ");
    hp_json_double(out, trend.hours);
    hp_sink_text(out, ",\n \"total\": {");
    put_row(out, &trend, &trend.total, options);
    hp_sink_text(out, ",\n ");
    if (hp_json_filters(out, profile)) {
        hp_sink_text(out, "\"left\": {");
        put_row(out, &trend, &trend.left, options);
        hp_sink_text(out, ",\n ");
    }
    hp_sink_text(out, "\"rows\": [");
    size_t count = trend.rows.count;
    size_t limit = hp_chosen_rows(options, count);
    for (size_t i = 0; i < limit; i++) {
        hp_sink_text(out, i > 0 ? ",\n  {\"name\": " : "\n  {\"name\": ");
        hp_json_string(out, hp_node_name(&trend.naming, trend.rows.at[i].node));
        hp_sink_text(out, ",\n   ");
        put_row(out, &trend, &trend.rows.at[i], options);
    }
    hp_sink_text(out, "]");
    hp_json_foot(out, profile);
    hp_trend_done(&trend);
}
