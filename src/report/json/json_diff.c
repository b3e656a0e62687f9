// {"schema": "hprof-agg.diff/1", "command": "diff", "by": ..., "confidence": 0.95,
//  "test": "independent" or "process" or "process-accum" or "fleets" or "sampling" or "none",
//  "base": {"used": 1, "skipped": 0, "reasons": {}, "periods": [524288]}, "new": {...},
//  "total": CHANGE, with filters also "filters" as in json.c and "left": CHANGE,
//  "rows": [{"name": "f", CHANGE}, ...], the surest growth first,
//  "warnings": ["..."]}
//
// CHANGE is "base", "new" and "delta": {"estimate", "low", "high"}, of one dump on average; "p"
// and "q", plain and adjusted for the number of rows, in the direction that delta has, null
// where it was not tested; "p_if_nothing_freed" of growth, where it is known; "status": "new",
// "gone", "grew", "shrank", "same" or "untested"; and "significant".  "flat" tells whether it
// is about what functions allocate themselves, or all that they call too.
#include "report/json/json.h"

#include "report/json/jsonhead.h"
#include "report/json/jsontext.h"
#include "view/chosen.h"
#include "view/difference.h"

static const char *const tests[] = {
    [HP_TEST_NONE] = "none",       [HP_TEST_INDEPENDENT] = "independent",
    [HP_TEST_PROCESS] = "process", [HP_TEST_PROCESS_ACCUM] = "process-accum",
    [HP_TEST_FLEETS] = "fleets",   [HP_TEST_SAMPLING] = "sampling",
};

static void put_number(struct hp_sink *out, const char *key, hp_fixed value,
                       struct hp_interval range, enum hp_metric metric) {
    hp_sink_print(out, "%s{\"estimate\": ", key);
    hp_json_fixed(out, value, metric);
    hp_sink_text(out, ", \"low\": ");
    hp_json_double(out, range.low);
    hp_sink_text(out, ", \"high\": ");
    hp_json_double(out, range.high);
    hp_sink_text(out, "}");
}

static void put_p(struct hp_sink *out, const char *key, double p) {
    hp_sink_text(out, key);
    hp_json_p(out, p);
}

static void put_change(struct hp_sink *out, const struct hp_change *change,
                       const struct hp_report_options *options) {
    enum hp_metric metric = options->metric;
    put_number(out, "\"base\": ", change->before, change->before_range, metric);
    put_number(out, ", \"new\": ", change->after, change->after_range, metric);
    put_number(out, ",\n   \"delta\": ", change->after - change->before, change->range,
               metric);
    put_p(out, ", \"p\": ", hp_change_p(change));
    put_p(out, ", \"q\": ", hp_change_q(change));
    put_p(out, ", \"p_if_nothing_freed\": ", change->least_growth_p);
    bool significant = hp_change_is_significant(change, hp_chosen_confidence(options));
    hp_sink_print(out, ",\n   \"status\": \"%s\", \"significant\": %s}",
                  hp_change_status(change, significant), significant ? "true" : "false");
}

void hp_json_diff(struct hp_sink *out, const struct hp_profile *profile,
                  const struct hp_report_options *options) {
    struct hp_sides sides;
    struct hp_difference difference;
    hp_sides_init(&sides, profile);
    hp_difference_init(&difference, profile, &sides, options);
    hp_json_head(out, profile, options, "diff");
    hp_sink_print(out, "\"flat\": %s, \"test\": \"%s\",\n ",
                  options->sort == HP_SORT_CUM ? "false" : "true",
                  tests[difference.test]);
    hp_json_inputs(out, profile, HP_JSON_BASE);
    hp_sink_text(out, "},\n ");
    hp_json_inputs(out, profile, HP_JSON_NEW);
    hp_sink_text(out, "},\n \"total\": {");
    put_change(out, &difference.total, options);
    hp_sink_text(out, ",\n ");
    if (hp_json_filters(out, profile)) {
        hp_sink_text(out, "\"left\": {");
        put_change(out, &difference.left, options);
        hp_sink_text(out, ",\n ");
    }
    hp_sink_text(out, "\"rows\": [");
    size_t count = difference.rows.count;
    size_t limit = hp_chosen_rows(options, count);
    for (size_t i = 0; i < limit; i++) {
        const struct hp_change *change = &difference.rows.at[i];
        hp_sink_text(out, i > 0 ? ",\n  {\"name\": " : "\n  {\"name\": ");
        hp_json_string(out, hp_node_name(&difference.naming, change->node));
        hp_sink_text(out, ",\n   ");
        put_change(out, change, options);
    }
    hp_sink_text(out, "]");
    hp_json_foot(out, profile);
    hp_difference_done(&difference);
    hp_sides_done(&sides);
}
