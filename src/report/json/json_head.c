// The keys that all reports have before and after their rows.  Most reports begin with
//
//     {"schema": "hprof-agg.top/2", "command": "top", "by": "function",
//      "frames": "code", "label": "host" (if by label),
//      "estimator": "horvitz-thompson", "metric": "inuse-space", "confidence": 0.95,
//      "processes": {"snapshots": "last", "count": 1, "dumps": 17, "forks": 0, ...,
//                    "said": ["17 dumps of 1 process: ..."]},
//      "shards": {"count": 4, "present": [0, 2]} (if some are missing),
//      "thread": "worker" (if only this thread was read),
//      "older_than": 60.5 (seconds, if only listed objects of this age were read),
//      "inputs": {"used": 3, "skipped": 0, "reasons": {}, "periods": [524288],
//                 "stacks": 1234},
//      "total": {"inuse-space": ESTIMATE or null, "inuse-objects": ESTIMATE or null,
//                "alloc-space": ESTIMATE or null, "alloc-objects": ESTIMATE or null},
//      "stacks_total": the same of the sum of all stacks (if headers show the total
// better),
//      "unseen": {"estimate": 1.5, "high": 2.5, "stack": 3.5,
//                 "rows_too_high": false} or null,
//      "not_compared": [...] (if functions of a module are not compared in all dumps),
//      "patterns": ["^f$"] (of list and peek),
//      "filters": [{"rule": "focus", "pattern": "f"}] and "left", which is like "total",
//                 (if there are filters)
//      "rows": [
//
// For a sample type of pprof inputs the metric is its name and the estimator is "none".
//
// After the rows there is "cut": {"rows": 12, "left_out": 345, "max_bytes": 4096} if
// --max-bytes truncated them; "moved": 1.500, the amount of the metric that folding
// attributes to other functions than --frames=all; "next" as in json_next.c; "warnings".
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
//     "gate": "grown", "open" or "none" (with --fail-if),
//     "stacks_total": {"base": 1.5, "new": 2.5} of a diff (as above),
//     "total": CELLS like those of a row; with filters also "filters" and "left": CELLS
//
// A trend has "test": "slope", "first-to-last" or "none"; "scatter_tested", which is true
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
#include "view/difference.h"
#include "view/frame_rules.h"
#include "view/recent_rows.h"
#include "view/report_lifetime.h"
#include "view/trends.h"
#include "view/unseen.h"

// Write which dumps of processes are used, and how many processes there are.
static void put_processes(struct hp_sink *out, const struct hp_view *view) {
    static const char *const snapshots[] = {
        [HP_SNAPSHOTS_LAST] = "last", [HP_SNAPSHOTS_FINAL] = "final",
        [HP_SNAPSHOTS_PEAK] = "peak", [HP_SNAPSHOTS_EACH] = "each",
        [HP_SNAPSHOTS_SUM] = "sum",
    };
    const struct hp_processes *processes = view->head.processes;
    hp_sink_print(out,
                  "\"processes\": {\"snapshots\": \"%s\", \"count\": %zu, "
                  "\"dumps\": %zu, \"forks\": %zu, \"untold\": %zu, \"said\": [",
                  view->head.has_moments ? "each" : snapshots[view->head.snapshots],
                  processes->all.count + processes->others,
                  processes->dumps.count + processes->other_dumps, processes->forks,
                  processes->unidentified);
    for (size_t i = 0; i < hp_view_moment_count(view); i++) {
        hp_sink_text(out, i > 0 ? ", " : "");
        hp_json_string(out, hp_view_moment(view, i));
    }
    hp_sink_text(out, "]},\n ");
}

// Write which shards are present; nothing if all of them are.
static void put_shards(struct hp_sink *out, struct hp_shards shards) {
    const char *between = "";
    if (shards.count == 0) {
        return;
    }
    hp_sink_print(out, "\"shards\": {\"count\": %u, \"present\": [", shards.count);
    for (unsigned i = 0; i < shards.count; i++) {
        if (shards.present >> i & 1) {
            hp_sink_print(out, "%s%u", between, i);
            between = ", ";
        }
    }
    hp_sink_text(out, "]},\n ");
}

// Write the keys that all reports begin with.
static void put_head(struct hp_sink *out, const struct hp_view *view) {
    static const char *const estimators[] = {
        [HP_ESTIMATOR_BEST] = "horvitz-thompson",
        [HP_ESTIMATOR_JEPROF] = "jeprof",
        [HP_ESTIMATOR_NONE] = "none",
    };
    const struct hp_report_options *options = &view->options;
    const char *command = view->report->name;
    bool has_signs = view->report->has_sides && hp_view_is_of_differences(view);
    hp_sink_print(out,
                  "{\"schema\": \"hprof-agg.%s/%d\", \"command\": \"%s\", "
                  "\"by\": \"%s\", \"frames\": \"%s\",\n ",
                  has_signs ? "differences" : command, has_signs ? 1 : 2, command,
                  hp_view_row_kind(view), hp_frames_name(options->frames.fold));
    if (options->by == HP_BY_LABEL) {
        hp_sink_text(out, "\"label\": ");
        hp_json_string(out, hp_span_of(options->label));
        hp_sink_text(out, ", ");
    }
    hp_sink_print(out, "\"estimator\": \"%s\", \"metric\": ",
                  view->projection ? "none" : estimators[view->head.estimator]);
    hp_json_string(out, hp_span_of(hp_view_metric_name(view, options->metric)));
    hp_sink_print(out, ", \"confidence\": %g,\n ", options->confidence);
    put_processes(out, view);
    put_shards(out, view->head.shards);
    if (view->head.thread.size > 0) {
        hp_sink_text(out, "\"thread\": ");
        hp_json_string(out, view->head.thread);
        hp_sink_text(out, ",\n ");
    }
    if (view->head.older_than > 0) {
        char age[HP_NUMBER_SIZE];
        hp_format_double(age, (double)view->head.older_than / 1e9);
        hp_sink_print(out, "\"older_than\": %s,\n ", age);
    }
}

// --- inputs -----------------------------------------------------------------------------

// Write "reasons": for each reason, the number of inputs that are not used because of it.
// It does not count inputs that are replaced by another dump of their process.
static void put_reasons(struct hp_sink *out, const struct hp_input_summary *summary) {
    const char *between = "";
    hp_sink_text(out, "\"reasons\": {");
    for (enum hp_input_reason i = 0; i < HP_REASONS; i++) {
        if (summary->left_out[i] > 0 && i != HP_REASON_OTHER_MOMENT) {
            hp_sink_print(out, "%s\"%s\": %zu", between, hp_input_reason_text(i),
                          summary->left_out[i]);
            between = ", ";
        }
    }
    hp_sink_text(out, "}, ");
}

// Write "consecutive": {"runs": 6, "newest": "ci/app.7.2.m2.heap", "bytes": 1024} if
// inputs are processes that ran one after the other.
static void put_consecutive(struct hp_sink *out, const struct hp_view *view,
                            struct hp_consecutive runs) {
    if (runs.count > 0) {
        hp_sink_print(out, ", \"consecutive\": {\"runs\": %zu, \"newest\": ", runs.count);
        hp_json_string(out, hp_span_of(view->head.inputs[runs.newest].public.name));
        hp_sink_text(out, ", \"bytes\": ");
        hp_json_fixed(out, runs.bytes, HP_INUSE_SPACE);
        hp_sink_text(out, "}");
    }
}

// Write "inputs", "base" or "new": {...; the object is still open.
static void put_inputs(struct hp_sink *out, const struct hp_view *view,
                       enum hp_input_side side) {
    static const char *const keys[HP_SIDES] = {"inputs", "base", "new"};
    const struct hp_input_summary *summary = &view->head.summary[side];
    hp_sink_print(out, "\"%s\": {\"used\": %zu, \"skipped\": %zu, ", keys[side],
                  summary->used,
                  summary->all - summary->used -
                      summary->left_out[HP_REASON_OTHER_MOMENT]);
    put_reasons(out, summary);
    hp_sink_text(out, "\"periods\": [");
    for (size_t i = 0; i < summary->periods.count; i++) {
        hp_sink_print(out, "%s%llu", i > 0 ? ", " : "",
                      (unsigned long long)summary->periods.at[i]);
    }
    hp_sink_text(out, "]");
    if (view->whole->inputs.exits[side] > 0) {
        hp_sink_print(out, ", \"made_at_exit\": %zu", view->whole->inputs.exits[side]);
    }
    put_consecutive(out, view, view->whole->inputs.consecutive[side]);
    if (summary->with_pages > 0) {
        hp_sink_print(out, ", \"large_sizes\": {\"pages\": %zu}", summary->with_pages);
    }
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
static void put_total(struct hp_sink *out, const struct hp_view *view,
                      struct hp_amount amount(const void *data, enum hp_metric metric)) {
    if (view->head.has_total) {
        hp_json_estimates(out, view, amount, &view->head);
        return;
    }
    const char *between = "{";
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        if (!view->projection || metric == view->options.metric) {
            hp_sink_text(out, between);
            hp_json_string(out, hp_span_of(hp_view_metric_name(view, metric)));
            hp_sink_text(out, ": null");
            between = ", ";
        }
    }
    hp_sink_text(out, "}");
}

// Write how much memory is in stacks that were never sampled; null if that is not known.
static void put_unseen(struct hp_sink *out, const struct hp_view *view) {
    struct hp_unseen unseen = hp_unseen_of(view);
    hp_json_key(out, "unseen");
    if (!unseen.is_known || !view->head.has_total) {
        hp_sink_text(out, "null,\n ");
        return;
    }
    hp_sink_text(out, "{\"estimate\": ");
    hp_json_double(out, unseen.estimate);
    hp_sink_text(out, ", \"high\": ");
    hp_json_double(out, unseen.highest);
    hp_sink_text(out, ", \"stack\": ");
    hp_json_double(out, unseen.stack);
    hp_sink_print(out, ", \"rows_too_high\": %s},\n ", unseen.is_much ? "true" : "false");
}

// --- filters ------------------------------------------------------------------------------

// Write the filters, "filters": [{"rule": "focus", "pattern": "f"}], or with `picks` the
// patterns that select the functions of peek and list, "patterns": ["^f$"].  If there are
// none, write nothing and return false.
static bool put_filters(struct hp_sink *out, const struct hp_view *view, bool picks) {
    const char *between = picks ? "\"patterns\": [" : "\"filters\": [";
    bool found = false;
    for (size_t i = 0; i < view->filters.count; i++) {
        const struct hp_filter *filter = &view->filters.at[i];
        if ((filter->rule == HP_PICK) != picks) {
            continue;
        }
        hp_sink_text(out, between);
        if (!picks) {
            hp_sink_print(out, "{\"rule\": \"%s\", \"pattern\": ",
                          hp_filter_rule_text(filter->rule));
        }
        hp_json_string(out, hp_span_of(filter->pattern));
        hp_sink_text(out, picks ? "" : "}");
        between = ", ";
        found = true;
    }
    hp_sink_text(out, found ? "],\n " : "");
    return found;
}

// Write the numbers of a module on one side: its dumps, those without names, and its
// value.
static void put_open_side(struct hp_sink *out, const struct hp_view *view,
                          const struct hp_open_module *module, int side) {
    hp_sink_print(out, ", \"%s\": {\"dumps\": %llu, \"without_names\": %llu, \"value\": ",
                  side ? "new" : "base", (unsigned long long)module->dumps[side],
                  (unsigned long long)module->open[side]);
    hp_json_fixed(out, module->bytes[side], view->options.metric);
    hp_sink_text(out, "}");
}

// Write the change of all code of a module together, and its p-value.
static void put_open_growth(struct hp_sink *out, const struct hp_view *view,
                            const struct hp_growth *growth) {
    hp_sink_text(out, ", \"change\": ");
    hp_json_fixed(out, growth->after - growth->before, view->options.metric);
    hp_sink_text(out, ", \"p\": ");
    hp_json_p(out, growth->p);
}

// Write "not_compared": the modules whose functions are not compared in all dumps, with
// the reasons; nothing if there are none.
static void put_open(struct hp_sink *out, const struct hp_view *view) {
    static const char *const reasons[] = {
        [HP_OPEN_IN_SOME] = "some dumps have no names",
        [HP_OPEN_IN_ALL] = "no dump has names",
        [HP_OPEN_STRIPPED] = "builds lack names",
        [HP_OPEN_MOVED] = "places differ between builds",
    };
    const struct hp_open_code *open =
        view->report->open_code ? view->report->open_code(view) : NULL;
    const struct hp_open_module *module;
    const char *comma = "";
    if (!open || open->modules.count == 0) {
        return;
    }
    hp_sink_text(out, "\"not_compared\": [");
    hp_vec_each (module, &open->modules) {
        if (!hp_open_module_is_open(module)) {
            continue;
        }
        hp_sink_print(out, "%s{\"module\": ", comma);
        hp_json_string(out, hp_open_module_path(view, module));
        hp_sink_print(out, ", \"reason\": \"%s\", \"builds\": %u, \"own\": %s",
                      reasons[module->kind], module->builds,
                      module->is_own ? "true" : "false");
        if (view->report->has_sides) {
            put_open_side(out, view, module, 0);
        }
        put_open_side(out, view, module, 1);
        if (view->report->has_sides) {
            put_open_growth(out, view, &module->growth);
        }
        hp_sink_text(out, "}");
        comma = ", ";
    }
    hp_sink_text(out, "],\n ");
}

// --- heads --------------------------------------------------------------------------------

void hp_json_begin(struct hp_sink *out, const struct hp_view *view) {
    put_head(out, view);
    put_inputs(out, view, HP_SIDE_ALL);
    hp_sink_print(out, ", \"stacks\": %zu},\n ", view->head.stacks);
    hp_json_key(out, "total");
    put_total(out, view, amount_of_total);
    hp_sink_text(out, ",\n ");
    if (view->head.has_gain && view->head.has_total) {
        hp_json_key(out, "stacks_total");
        put_total(out, view, amount_of_stacks);
        hp_sink_text(out, ",\n ");
    }
    put_unseen(out, view);
    put_open(out, view);
    put_filters(out, view, true);
    if (put_filters(out, view, false)) {
        hp_json_key(out, "left");
        put_total(out, view, amount_of_filtered);
        hp_sink_text(out, ",\n ");
    }
    hp_sink_text(out, "\"rows\": [");
}

// Write "total", and "left" if there are filters, with the cells of rows; then open the
// rows.
static void put_sums(struct hp_sink *out, const struct hp_view *view) {
    hp_sink_text(out, "\"total\": {");
    hp_json_cells(out, view, HP_ROW_TOTAL);
    hp_sink_text(out, "},\n ");
    if (put_filters(out, view, false)) {
        hp_sink_text(out, "\"left\": {");
        hp_json_cells(out, view, HP_ROW_FILTERED);
        hp_sink_text(out, "},\n ");
    }
    hp_sink_text(out, "\"rows\": [");
}

// Return "true" if the report is about flat values, or "false" if it is about cum.
static const char *is_flat(const struct hp_view *view) {
    return view->options.sort == HP_SORT_CUM ? "false" : "true";
}

// Write the number of replicates (classes of dumps) from which the spread between dumps
// is known, if single dumps are not known.  Closes the object of the inputs.
static void put_groups(struct hp_sink *out, size_t groups) {
    if (groups > 0) {
        hp_sink_print(out, ", \"groups\": %zu", groups);
    }
    hp_sink_text(out, "},\n ");
}

// Write "gate", the result of the condition of --fail-if, if that was given.
static void put_gate(struct hp_sink *out, const struct hp_view *view) {
    struct hp_excess first;
    if (view->options.gate) {
        hp_sink_print(out, "\"gate\": \"%s\",\n ",
                      hp_view_exceeds(view, &first) ? "grown"
                      : hp_view_is_open(view)       ? "open"
                                                    : "none");
    }
}

void hp_json_begin_diff(struct hp_sink *out, const struct hp_view *view) {
    static const char *const tests[] = {
        [HP_TEST_NONE] = "none",         [HP_TEST_INDEPENDENT] = "independent",
        [HP_TEST_PROCESS] = "process",   [HP_TEST_PROCESS_ACCUM] = "process-accum",
        [HP_TEST_FLEETS] = "fleets",     [HP_TEST_ONE] = "one-against-several",
        [HP_TEST_SAMPLING] = "sampling",
    };
    const struct hp_difference *difference = view->extra;
    put_head(out, view);
    hp_sink_print(out, "\"flat\": %s, \"test\": \"%s\",\n ", is_flat(view),
                  tests[difference->test]);
    if (difference->shared > 0) {
        hp_sink_print(out, "\"shared_processes\": %zu,\n ", difference->shared);
    }
    if (hp_view_is_of_differences(view)) {
        put_inputs(out, view, HP_SIDE_ALL);
        hp_sink_text(out, "},\n ");
    } else {
        put_inputs(out, view, HP_SIDE_BASE);
        put_groups(out, difference->groups[0]);
        put_inputs(out, view, HP_SIDE_NEW);
        put_groups(out, difference->groups[1]);
    }
    put_open(out, view);
    put_gate(out, view);
    if (view->head.has_gain) {
        hp_sink_text(out, "\"stacks_total\": {\"base\": ");
        hp_json_fixed(out, difference->stacks[0], view->options.metric);
        hp_sink_text(out, ", \"new\": ");
        hp_json_fixed(out, difference->stacks[1], view->options.metric);
        hp_sink_text(out, "},\n ");
    }
    put_sums(out, view);
}

// Write the series of a trend: each process with its number of dumps, and its first and
// last total.
static void put_series(struct hp_sink *out, const struct hp_trends *trends) {
    hp_sink_text(out, "\"series\": [");
    for (size_t i = 0; i < trends->count; i++) {
        const struct hp_trend *trend = &trends->of[i];
        hp_sink_print(out, "%s{\"process\": \"%s\", \"dumps\": %zu, \"first\": ",
                      i > 0 ? ", " : "", trend->name, trend->dumps);
        hp_json_fixed(out, trend->total.first, trends->metric);
        hp_sink_text(out, ", \"last\": ");
        hp_json_fixed(out, trend->total.last, trends->metric);
        hp_sink_text(out, "}");
    }
    hp_sink_text(out, "],\n ");
}

void hp_json_begin_trend(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_trends *trends = view->extra;
    const struct hp_trend *trend = &trends->of[0];
    put_head(out, view);
    hp_sink_print(out, "\"flat\": %s, \"test\": \"%s\", \"scatter_tested\": %s,\n ",
                  is_flat(view),
                  trend->test == HP_TEST_NONE            ? "none"
                  : trend->test == HP_TEST_PROCESS_ACCUM ? "first-to-last"
                                                         : "slope",
                  trend->can_test_growth ? "true" : "false");
    put_inputs(out, view, HP_SIDE_ALL);
    hp_sink_text(out, "}, \"hours\": ");
    hp_json_double(out, trend->hours);
    hp_sink_text(out, ",\n ");
    if (trends->count > 1) {
        put_series(out, trends);
    }
    put_open(out, view);
    put_sums(out, view);
}

void hp_json_begin_lifetime(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_lifetimes *lifetimes = view->extra;
    const struct hp_recent_rows *recent = view->extra;
    bool is_recent = hp_view_is_recent(view);
    put_head(out, view);
    hp_sink_print(out, "\"flat\": %s, \"dumps\": %zu, \"seconds\": ", is_flat(view),
                  is_recent ? 1 : lifetimes->dumps);
    hp_json_double(out, is_recent ? recent->window : lifetimes->seconds);
    if (is_recent) {
        hp_sink_text(out, ", \"tick\": ");
        hp_json_double(out, recent->tick);
    }
    hp_sink_text(out, ",\n ");
    put_inputs(out, view, HP_SIDE_ALL);
    hp_sink_text(out, "},\n ");
    put_sums(out, view);
}

// Write how many rows were dropped because of --max-bytes; nothing if none was.
static void put_cut(struct hp_sink *out, const struct hp_view *view) {
    size_t left_out = hp_view_left_out(view);
    if (left_out > 0) {
        hp_sink_print(
            out, ",\n \"cut\": {\"rows\": %zu, \"left_out\": %zu, \"max_bytes\": %llu}",
            view->fitting, left_out, (unsigned long long)view->options.max_bytes);
    }
}

void hp_json_end(struct hp_sink *out, const struct hp_view *view) {
    put_cut(out, view);
    if (view->report->build && !view->report->needs_accounts) { // memory of code
        hp_sink_text(out, ",\n \"moved\": ");
        hp_json_fixed(out, hp_charges_of(view).all_moved, view->options.metric);
        hp_json_next(out, view);
    }
    hp_sink_text(out, ",\n \"warnings\": [");
    for (size_t i = 0; i < hp_view_warning_count(view); i++) {
        hp_sink_text(out, i > 0 ? ",\n  " : "\n  ");
        hp_json_string(out, hp_view_warning(view, i));
    }
    hp_sink_text(out, "]}\n");
}
