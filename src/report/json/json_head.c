// The keys that all reports have before and after their rows.  Most reports begin with
//
//     {"schema": "hprof-agg.top/3", "command": "top", "by": "function",
//      "frames": "no-std", "label": "host" (if by label),
//      "estimator": "unbiased", "metric": "inuse-space", "confidence": 0.95,
//      "processes": {"selection": "latest", "count": 1, "dumps": 17, "forks": 0, ...,
//                    "messages": ["17 dumps of 1 process: ..."]},
//      "shards": {"count": 4, "present": [0, 2]} (if some are missing),
//      "thread": "worker" (if only this thread was read),
//      "older_than": 60.5 (seconds, if only listed objects of this age were read),
//      "inputs": {"used": 3, "skipped": 0, "reasons": {}, "periods": [524288],
//                 "stacks": 1234},
//      "total": {"inuse-space": ESTIMATE or null, "inuse-objects": ESTIMATE or null,
//                "alloc-space": ESTIMATE or null, "alloc-objects": ESTIMATE or null},
//      "stacks_total": the same of the sum of all stacks (if headers show the total
// better),
//      "unsampled": {"estimate": 1.5, "high": 2.5, "stack": 3.5,
//                 "rows_overestimated": false} or null,
//      "not_compared": [...] (if functions of a module are not compared in all dumps),
//      "patterns": ["^f$"] (of list and peek),
//      "filters": [{"rule": "focus", "pattern": "f"}] and "filtered", which is like "total",
//                 (if there are filters)
//      "rows": [
//
// For a sample type of pprof inputs the metric is its name and the estimator is "none".
//
// After the rows there is "cut": {"rows": 12, "excluded": 345, "max_bytes": 4096} if
// --max-bytes truncated them; "attributed_to_callers": 1.500, the amount of the metric that folding
// attributes to other functions than --frames=no-alloc; "next" as in json_next.c; "warnings".
//
// A diff and a trend have one metric.  After "confidence" they have
//
//     "flat": true (about values that functions allocate themselves; false: about cum),
//     "test": "independent", "process", "process-accum", "fleets", "one-against-several",
//             "sampling" or "none",
//     "shared_processes": 1 (if processes are in both sides),
//     "base": {"used": 1, "skipped": 0, "reasons": {}, "periods": [524288],
//              "groups": 8 (if the spread is known from groups only)}, "new": {...},
//     or "inputs": {...} if the inputs are differences, whose sides are not known,
//     "gate": "grown", "open" or "none" (with --fail-if), also of a trend,
//     "gate_tested": {"name": "f", "is_row": true, "growth": 1.5, "limit": 1, "share": 0.1,
//                     "p": 0.1, "p_limit": 0.01, "sampling_error_only": false}, also,
//     "detectable": {"change": 1.5, "share": 0.1, "is_at_most": false,
//                    "sampling_error_only": false} (if nothing was found), also of a trend,
//     "stacks_total": {"base": 1.5, "new": 2.5} of a diff (as above), {"first": 1.5,
// "last": 2.5} of a trend,
//     "total": CELLS like those of a row; with filters also "filters" and "filtered": CELLS
//
// A trend has "test": "slope", "first-to-last" or "none"; "variance_tested", which is true
// if p also allows for values that go up and down by themselves, for which 8 dumps are
// needed; "inputs"; and "hours": 3.5 or null.  Slopes are per unit in "per": second,
// minute, hour, day, or dump if "hours" is null.  With several processes there is
// "series": [{"process": "pid 7", "dumps": 5, "first": 1.5, "last": 2.5}, ...], and the
// total is that of the process that has grown most.
//
// Lifetimes have "flat"; "dumps"; "seconds", the time that they cover, or null; "tick",
// the seconds between two times of the clock (if they are from prof_recent); "inputs".
#include "report/json/json.h"

#include "view/charges.h"
#include "view/detectable.h"
#include "view/difference.h"
#include "view/frame_rules.h"
#include "view/recent_rows.h"
#include "view/report_lifetime.h"
#include "view/trends.h"
#include "view/unseen.h"

#include <math.h>

// Write which dumps of processes are used, and how many processes there are.
static void put_processes(struct hp_json *json, const struct hp_view *view) {
    static const char *const snapshots[] = {
        [HP_SNAPSHOTS_LAST] = "latest", [HP_SNAPSHOTS_FINAL] = "exit",
        [HP_SNAPSHOTS_PEAK] = "peak",   [HP_SNAPSHOTS_EACH] = "each",
        [HP_SNAPSHOTS_SUM] = "sum",
    };
    const struct hp_processes *processes = view->head.processes;
    hp_json_open(json, "processes", '{');
    hp_json_put_word(json, "selection",
                     view->head.has_moments ? "each" : snapshots[view->head.snapshots]);
    hp_json_put_count(json, "count", processes->all.count + processes->others);
    hp_json_put_count(json, "dumps", processes->dumps.count + processes->other_dumps);
    hp_json_put_count(json, "forks", processes->forks);
    hp_json_put_count(json, "unidentified", processes->unidentified);
    hp_json_open(json, "messages", '[');
    for (size_t i = 0; i < hp_view_moment_count(view); i++) {
        hp_json_put_string(json, NULL, hp_view_moment(view, i));
    }
    hp_json_close(json);
    hp_json_close(json);
    hp_json_line(json, 1);
}

// Write which shards are present; nothing if all of them are.
static void put_shards(struct hp_json *json, struct hp_shards shards) {
    if (shards.count == 0) {
        return;
    }
    hp_json_open(json, "shards", '{');
    hp_json_put_count(json, "count", shards.count);
    hp_json_open(json, "present", '[');
    for (unsigned i = 0; i < shards.count; i++) {
        if (shards.present >> i & 1) {
            hp_json_put_count(json, NULL, i);
        }
    }
    hp_json_close(json);
    hp_json_close(json);
    hp_json_line(json, 1);
}

// Write the schema and what the report is of.
static void put_schema(struct hp_json *json, const struct hp_view *view) {
    const char *command = view->report->name;
    bool has_signs = view->report->has_sides && hp_view_is_of_differences(view);
    hp_json_open(json, NULL, '{');
    hp_sink_print(hp_json_value(json, "schema"), "\"hprof-agg.%s/%d\"",
                  has_signs ? "differences" : command, has_signs ? 2 : 3);
    hp_json_put_word(json, "command", command);
    hp_json_put_word(json, "by", hp_view_row_kind(view));
    hp_json_put_word(json, "frames", hp_frames_name(view->options.frames.fold));
    hp_json_line(json, 1);
    if (view->options.by == HP_BY_LABEL) {
        hp_json_put_word(json, "label", view->options.label);
    }
}

// Write the keys that all reports begin with.
static void put_head(struct hp_json *json, const struct hp_view *view) {
    static const char *const estimators[] = {
        [HP_ESTIMATOR_BEST] = "unbiased",
        [HP_ESTIMATOR_JEPROF] = "jeprof",
        [HP_ESTIMATOR_NONE] = "none",
    };
    const struct hp_report_options *options = &view->options;
    put_schema(json, view);
    hp_json_put_word(json, "estimator",
                     view->projection ? "none" : estimators[view->head.estimator]);
    hp_json_put_word(json, "metric", hp_view_metric_name(view, options->metric));
    hp_sink_print(hp_json_value(json, "confidence"), "%g", options->confidence);
    hp_json_line(json, 1);
    put_processes(json, view);
    put_shards(json, view->head.shards);
    if (view->head.thread.size > 0) {
        hp_json_put_string(json, "thread", view->head.thread);
        hp_json_line(json, 1);
    }
    if (view->head.older_than > 0) {
        hp_json_put_double(json, "older_than", (double)view->head.older_than / 1e9);
        hp_json_line(json, 1);
    }
}

// --- inputs -----------------------------------------------------------------------------

// Write "reasons": for each reason, the number of inputs that are not used because of it.
// It does not count inputs that are replaced by another dump of their process.
static void put_reasons(struct hp_json *json, const struct hp_input_summary *summary) {
    hp_json_open(json, "reasons", '{');
    for (enum hp_input_reason i = 0; i < HP_REASONS; i++) {
        if (summary->left_out[i] > 0 && i != HP_REASON_OTHER_MOMENT) {
            hp_json_put_count(json, hp_input_reason_text(i), summary->left_out[i]);
        }
    }
    hp_json_close(json);
}

// Write "skipped_inputs": [{"name": "a.heap", "reason": "malformed", "text": "..."}], the
// inputs that are counted as skipped and have a record; nothing if there are none.
static void put_skipped(struct hp_json *json, const struct hp_view *view,
                        enum hp_input_side side) {
    bool any = false;
    for (size_t i = 0; i < view->head.input_count; i++) {
        const struct hp_input_record *input = &view->head.inputs[i];
        bool is_of_side = side == HP_SIDE_ALL || input->is_base == (side == HP_SIDE_BASE);
        if (!is_of_side || hp_input_is_used(input) ||
            hp_input_reason(input) == HP_REASON_OTHER_MOMENT) {
            continue;
        }
        if (!any) {
            hp_json_open(json, "skipped_inputs", '[');
        }
        any = true;
        hp_json_open(json, NULL, '{');
        hp_json_put_word(json, "name", input->public.name);
        hp_json_put_word(json, "reason", hp_input_reason_text(hp_input_reason(input)));
        hp_json_put_reason(json, "text", &input->public);
        hp_json_close(json);
    }
    if (any) {
        hp_json_close(json);
    }
}

// Write "consecutive": {"runs": 6, "newest": "ci/app.7.2.m2.heap", "bytes": 1024} if
// inputs are processes that ran one after the other.
static void put_consecutive(struct hp_json *json, const struct hp_view *view,
                            struct hp_consecutive runs) {
    if (runs.count > 0) {
        hp_json_open(json, "consecutive", '{');
        hp_json_put_count(json, "runs", runs.count);
        hp_json_put_word(json, "newest", view->head.inputs[runs.newest].public.name);
        hp_json_put_fixed(json, "bytes", runs.bytes, HP_INUSE_SPACE);
        hp_json_close(json);
    }
}

// Write "inputs", "base" or "new"; the object is still open.
static void put_inputs(struct hp_json *json, const struct hp_view *view,
                       enum hp_input_side side) {
    static const char *const keys[HP_SIDES] = {"inputs", "base", "new"};
    const struct hp_input_summary *summary = &view->head.summary[side];
    hp_json_open(json, keys[side], '{');
    hp_json_put_count(json, "used", summary->used);
    hp_json_put_count(json, "skipped",
                      summary->all - summary->used -
                          summary->left_out[HP_REASON_OTHER_MOMENT]);
    put_reasons(json, summary);
    put_skipped(json, view, side);
    hp_json_open(json, "periods", '[');
    for (size_t i = 0; i < summary->periods.count; i++) {
        hp_json_put_count(json, NULL, summary->periods.at[i]);
    }
    hp_json_close(json);
    if (view->whole->inputs.exits[side] > 0) {
        hp_json_put_count(json, "made_at_exit", view->whole->inputs.exits[side]);
    }
    put_consecutive(json, view, view->whole->inputs.consecutive[side]);
    if (summary->with_pages > 0) {
        hp_json_open(json, "large_sizes", '{');
        hp_json_put_count(json, "pages", summary->with_pages);
        hp_json_close(json);
    }
}

// Write the inputs of one side, and the number of replicates (classes of dumps) from which
// the spread between dumps is known, if single dumps are not known (0: they are).
static void put_side(struct hp_json *json, const struct hp_view *view,
                     enum hp_input_side side, size_t groups) {
    put_inputs(json, view, side);
    if (groups > 0) {
        hp_json_put_count(json, "groups", groups);
    }
    hp_json_close(json);
    hp_json_line(json, 1);
}

// --- totals -------------------------------------------------------------------------------

// The total in a metric; a function for hp_json_estimates().
static struct hp_amount amount_of_total(const void *data, enum hp_metric metric) {
    const struct hp_head *head = data;
    return (struct hp_amount){.sum = head->whole.of[metric],
                              .error = &head->whole_errors[hp_column_of(metric)]};
}

// The sum of all stacks in a metric; a function for hp_json_estimates().
static struct hp_amount amount_of_stacks(const void *data, enum hp_metric metric) {
    const struct hp_head *head = data;
    return (struct hp_amount){.sum = head->total.of[metric],
                              .error = &head->errors[hp_column_of(metric)]};
}

// The sum that filters leave, in a metric; a function for hp_json_estimates().
static struct hp_amount amount_of_filtered(const void *data, enum hp_metric metric) {
    const struct hp_head *head = data;
    return (struct hp_amount){.sum = head->filtered.of[metric],
                              .error = &head->filtered_errors[hp_column_of(metric)]};
}

// Write the totals; null if the rows are dumps of one process at several times, which
// have no total.
static void put_total(struct hp_json *json, const char *key, const struct hp_view *view,
                      hp_json_amount_fn *amount) {
    if (view->head.has_total) {
        hp_json_estimates(json, key, view, amount, &view->head);
    } else {
        hp_json_open(json, key, '{');
        for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
            if (!view->projection || metric == view->options.metric) {
                hp_json_key(json, hp_span_of(hp_view_metric_name(view, metric)));
                hp_json_put_null(json, NULL);
            }
        }
        hp_json_close(json);
    }
    hp_json_line(json, 1);
}

// Write how much memory is in stacks that were never sampled; null if that is not known.
static void put_unseen(struct hp_json *json, const struct hp_view *view) {
    struct hp_unseen unseen = hp_unseen_of(view);
    if (!unseen.is_known || !view->head.has_total) {
        hp_json_put_null(json, "unsampled");
    } else {
        hp_json_open(json, "unsampled", '{');
        hp_json_put_double(json, "estimate", unseen.estimate);
        hp_json_put_double(json, "high", unseen.highest);
        hp_json_put_double(json, "stack", unseen.stack);
        hp_json_put_truth(json, "rows_overestimated", unseen.is_much);
        hp_json_close(json);
    }
    hp_json_line(json, 1);
}

// --- filters ------------------------------------------------------------------------------

// Write a filter; of a pattern that selects functions the pattern alone.
static void put_filter(struct hp_json *json, const struct hp_filter *filter) {
    if (filter->rule == HP_PICK) {
        hp_json_put_word(json, NULL, filter->pattern);
        return;
    }
    hp_json_open(json, NULL, '{');
    hp_json_put_word(json, "rule", hp_filter_rule_text(filter->rule));
    hp_json_put_word(json, "pattern", filter->pattern);
    hp_json_close(json);
}

// Write the filters, "filters": [{"rule": "focus", "pattern": "f"}], or with `picks` the
// patterns that select the functions of peek and list, "patterns": ["^f$"].  If there are
// none, write nothing and return false.
static bool put_filters(struct hp_json *json, const struct hp_view *view, bool picks) {
    bool found = false;
    for (size_t i = 0; i < view->filters.count; i++) {
        const struct hp_filter *filter = &view->filters.at[i];
        if ((filter->rule == HP_PICK) == picks) {
            if (!found) {
                hp_json_open(json, picks ? "patterns" : "filters", '[');
            }
            put_filter(json, filter);
            found = true;
        }
    }
    if (found) {
        hp_json_close(json);
        hp_json_line(json, 1);
    }
    return found;
}

// Write the numbers of a module on one side: its dumps, those without names, and its
// value.
static void put_open_side(struct hp_json *json, const struct hp_view *view,
                          const struct hp_open_module *module, int side) {
    hp_json_open(json, side ? "new" : "base", '{');
    hp_json_put_count(json, "dumps", module->dumps[side]);
    hp_json_put_count(json, "without_names", module->open[side]);
    hp_json_put_fixed(json, "value", module->bytes[side], view->options.metric);
    hp_json_close(json);
}

// Write a module whose functions are not compared in all dumps.
static void put_open_module(struct hp_json *json, const struct hp_view *view,
                            const struct hp_open_module *module) {
    static const char *const reasons[] = {
        [HP_OPEN_IN_SOME] = "some dumps have no names",
        [HP_OPEN_IN_ALL] = "no dump has names",
        [HP_OPEN_STRIPPED] = "builds lack names",
        [HP_OPEN_MOVED] = "places differ between builds",
    };
    const struct hp_growth *growth = &module->growth;
    hp_json_open(json, NULL, '{');
    hp_json_put_string(json, "module", hp_open_module_path(view, module));
    hp_json_put_word(json, "reason", reasons[module->kind]);
    hp_json_put_count(json, "builds", module->builds);
    hp_json_put_truth(json, "own", module->is_own);
    if (view->report->has_sides) {
        put_open_side(json, view, module, 0);
    }
    put_open_side(json, view, module, 1);
    if (view->report->has_sides) { // of all code of the module together
        hp_json_put_fixed(json, "change", growth->after - growth->before,
                          view->options.metric);
        hp_json_put_p(json, "p", growth->p);
    }
    hp_json_close(json);
}

// Write "not_compared": the modules whose functions are not compared in all dumps, with
// the reasons; nothing if there are none.
static void put_open(struct hp_json *json, const struct hp_view *view) {
    const struct hp_open_code *open =
        view->report->open_code ? view->report->open_code(view) : NULL;
    const struct hp_open_module *module;
    if (!open || open->modules.count == 0) {
        return;
    }
    hp_json_open(json, "not_compared", '[');
    hp_vec_each (module, &open->modules) {
        if (hp_open_module_is_open(module)) {
            put_open_module(json, view, module);
        }
    }
    hp_json_close(json);
    hp_json_line(json, 1);
}

// --- heads --------------------------------------------------------------------------------

void hp_json_begin(struct hp_json *json, const struct hp_view *view) {
    put_head(json, view);
    put_inputs(json, view, HP_SIDE_ALL);
    hp_json_put_count(json, "stacks", view->head.stacks);
    hp_json_close(json);
    hp_json_line(json, 1);
    put_total(json, "total", view, amount_of_total);
    if (view->head.has_gain && view->head.has_total) {
        put_total(json, "stacks_total", view, amount_of_stacks);
    }
    put_unseen(json, view);
    put_open(json, view);
    put_filters(json, view, true);
    if (put_filters(json, view, false)) {
        put_total(json, "filtered", view, amount_of_filtered);
    }
    hp_json_open(json, "rows", '[');
}

// Write the cells of a sum of rows as an object.
static void put_sum(struct hp_json *json, const char *key, const struct hp_view *view,
                    size_t row) {
    hp_json_open(json, key, '{');
    hp_json_cells(json, view, row);
    hp_json_close(json);
    hp_json_line(json, 1);
}

// Write "total", and "filtered" if there are filters, with the cells of rows; then open the
// rows.
static void put_sums(struct hp_json *json, const struct hp_view *view) {
    put_sum(json, "total", view, HP_ROW_TOTAL);
    if (put_filters(json, view, false)) {
        put_sum(json, "filtered", view, HP_ROW_FILTERED);
    }
    hp_json_open(json, "rows", '[');
}

// Write whether the report is about flat values; else it is about cum.
static void put_flat(struct hp_json *json, const struct hp_view *view) {
    hp_json_put_truth(json, "flat", view->options.sort != HP_SORT_CUM);
}

// Write "gate", the result of the condition of --fail-if, if that was given, and
// "gate_tested", the row or total that meets it first or comes nearest.
static void put_gate(struct hp_json *json, const struct hp_view *view) {
    struct hp_excess first = {.name = NULL};
    if (!view->options.gate) {
        return;
    }
    bool is_met = hp_view_exceeds(view, &first);
    hp_json_put_word(json, "gate",
                     is_met                  ? "grown"
                     : hp_view_is_open(view) ? "open"
                                             : "none");
    hp_json_line(json, 1);
    if (first.name) {
        hp_json_open(json, "gate_tested", '{');
        hp_json_put_string(json, "name", hp_span_of(first.name));
        hp_json_put_truth(json, "is_row", first.is_row);
        hp_json_put_rough(json, "growth", first.growth);
        hp_json_put_rough(json, "limit", first.limit);
        hp_json_put_rough(json, "share", first.share);
        hp_json_put_p(json, "p", first.p);
        hp_json_put_p(json, "p_limit", view->gate.p > 0 ? view->gate.p : NAN);
        hp_json_put_truth(json, "sampling_error_only", first.is_of_sampling);
        hp_json_close(json);
        hp_json_line(json, 1);
    }
}

// Write "detectable": what a comparison that found nothing could have found.
static void put_detectable(struct hp_json *json, struct hp_detectable found) {
    if (!found.is_known) {
        return;
    }
    hp_json_open(json, "detectable", '{');
    hp_json_put_rough(json, "change", found.change);
    hp_json_put_rough(json, "share", found.share);
    hp_json_put_truth(json, "is_at_most", found.is_at_most);
    hp_json_put_truth(json, "sampling_error_only", found.is_of_sampling);
    hp_json_close(json);
    hp_json_line(json, 1);
}

// Write the sums of all stacks, with one key each for an earlier and a later one, if
// headers show the totals better.
static void put_stacks_total(struct hp_json *json, const struct hp_view *view,
                             const char *const keys[2], const hp_fixed sums[2]) {
    if (view->head.has_gain) {
        hp_json_open(json, "stacks_total", '{');
        hp_json_put_fixed(json, keys[0], sums[0], view->options.metric);
        hp_json_put_fixed(json, keys[1], sums[1], view->options.metric);
        hp_json_close(json);
        hp_json_line(json, 1);
    }
}

void hp_json_begin_diff(struct hp_json *json, const struct hp_view *view) {
    static const char *const tests[] = {
        [HP_TEST_NONE] = "none",         [HP_TEST_INDEPENDENT] = "independent",
        [HP_TEST_PROCESS] = "process",   [HP_TEST_PROCESS_ACCUM] = "process-accum",
        [HP_TEST_FLEETS] = "fleets",     [HP_TEST_ONE] = "one-against-several",
        [HP_TEST_SAMPLING] = "sampling",
    };
    static const char *const sides[2] = {"base", "new"};
    const struct hp_difference *difference = view->extra;
    put_head(json, view);
    put_flat(json, view);
    hp_json_put_word(json, "test", tests[difference->test]);
    hp_json_line(json, 1);
    if (difference->shared > 0) {
        hp_json_put_count(json, "shared_processes", difference->shared);
        hp_json_line(json, 1);
    }
    if (hp_view_is_of_differences(view)) {
        put_side(json, view, HP_SIDE_ALL, 0);
    } else {
        put_side(json, view, HP_SIDE_BASE, difference->groups[0]);
        put_side(json, view, HP_SIDE_NEW, difference->groups[1]);
    }
    put_open(json, view);
    put_gate(json, view);
    if (!hp_view_is_of_differences(view)) {
        put_detectable(json, hp_detectable_change(view));
    }
    put_stacks_total(json, view, sides, difference->stacks);
    put_sums(json, view);
}

// Write the series of a trend: each process with its number of dumps, and its first and
// last total.
static void put_series(struct hp_json *json, const struct hp_trends *trends) {
    hp_json_open(json, "series", '[');
    for (size_t i = 0; i < trends->count; i++) {
        const struct hp_trend *trend = &trends->of[i];
        hp_json_open(json, NULL, '{');
        hp_json_put_word(json, "process", trend->name);
        hp_json_put_count(json, "dumps", trend->dumps);
        hp_json_put_fixed(json, "first", trend->total.first, trends->metric);
        hp_json_put_fixed(json, "last", trend->total.last, trends->metric);
        hp_json_close(json);
    }
    hp_json_close(json);
    hp_json_line(json, 1);
}

void hp_json_begin_trend(struct hp_json *json, const struct hp_view *view) {
    static const char *const ends[2] = {"first", "last"};
    const struct hp_trends *trends = view->extra;
    const struct hp_trend *trend = &trends->of[0];
    put_head(json, view);
    put_flat(json, view);
    hp_json_put_word(json, "test",
                     trend->test == HP_TEST_NONE            ? "none"
                     : trend->test == HP_TEST_PROCESS_ACCUM ? "first-to-last"
                                                            : "slope");
    hp_json_put_truth(json, "variance_tested", trend->can_test_growth);
    hp_json_line(json, 1);
    put_inputs(json, view, HP_SIDE_ALL);
    hp_json_close(json);
    hp_json_put_double(json, "hours", trend->hours);
    hp_json_line(json, 1);
    if (trends->count > 1) {
        put_series(json, trends);
    }
    put_open(json, view);
    put_gate(json, view);
    put_detectable(json, hp_detectable_growth_of_trend(view));
    put_stacks_total(json, view, ends, hp_largest_trend(trends)->stacks);
    put_sums(json, view);
}

void hp_json_begin_lifetime(struct hp_json *json, const struct hp_view *view) {
    const struct hp_lifetimes *lifetimes = view->extra;
    const struct hp_recent_rows *recent = view->extra;
    bool is_recent = hp_view_is_recent(view);
    put_head(json, view);
    put_flat(json, view);
    hp_json_put_count(json, "dumps", is_recent ? 1 : lifetimes->dumps);
    hp_json_put_double(json, "seconds", is_recent ? recent->window : lifetimes->seconds);
    if (is_recent) {
        hp_json_put_double(json, "tick", recent->tick);
    }
    hp_json_line(json, 1);
    put_side(json, view, HP_SIDE_ALL, 0);
    put_sums(json, view);
}

// Write how many rows were dropped because of --max-bytes; nothing if none was.
static void put_cut(struct hp_json *json, const struct hp_view *view) {
    size_t left_out = hp_view_left_out(view);
    if (left_out > 0) {
        hp_json_line(json, 1);
        hp_json_open(json, "cut", '{');
        hp_json_put_count(json, "rows", view->fitting);
        hp_json_put_count(json, "excluded", left_out);
        hp_json_put_count(json, "max_bytes", view->options.max_bytes);
        hp_json_close(json);
    }
}

void hp_json_end(struct hp_json *json, const struct hp_view *view) {
    put_cut(json, view);
    if (view->report->build && !view->report->needs_accounts) { // memory of code
        hp_json_line(json, 1);
        hp_json_put_fixed(json, "attributed_to_callers", hp_charges_of(view).all_moved,
                          view->options.metric);
        hp_json_next(json, view);
    }
    hp_json_line(json, 1);
    hp_json_open(json, "warnings", '[');
    for (size_t i = 0; i < hp_view_warning_count(view); i++) {
        hp_json_line(json, 2);
        hp_json_open(json, NULL, '{');
        hp_json_put_word(json, "code", hp_view_warning_code(view, i));
        hp_json_put_string(json, "text", hp_view_warning(view, i));
        hp_json_close(json);
    }
    hp_json_close(json);
    hp_json_close(json);
    hp_sink_text(json->out, "\n");
}
