#include "view/view.h"

#include "partial/partial.h"
#include "view/frame_rules.h"
#include "view/groups.h"
#include "view/open_code.h"
#include "view/resets.h"
#include "view/size_rows.h"
#include "view/stack_ends.h"
#include "view/stack_groups.h"
#include "view/stack_labels.h"
#include "view/two_signs.h"
#include "view/visible_frames.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum {
    LEAST_NODE = 200, // a graph draws nodes of at least 1/200 of the filtered sum
};

// --- refusals -----------------------------------------------------------------------------

// Return the name of what an input lacks of the view's metric, or the name of the sample
// type if it lacks that; NULL: it lacks nothing.
static const char *missing_of(const struct hp_view *view,
                              const struct hp_input_record *input) {
    if (!view->type) {
        return hp_input_missing(input, view->options.metric);
    }
    bool has_type = hp_sample_type_input(view->type, input->number);
    return has_type || input->stacks == 0 ? NULL : view->type_name;
}

// Fail with HP_E_EMPTY if any used input lacks the metric, for reports that compare
// inputs: a missing value is not 0.
static int refuse_incomplete(const struct hp_view *view, struct hp_err *err) {
    const struct hp_input_record *input;
    hp_vec_each (input, &view->profile->inputs.records) {
        const char *missing = missing_of(view, input);
        if (hp_input_is_used(input) && missing) {
            hp_fail(err, HP_E_EMPTY,
                    HP_MESSAGE("accum-missing", "cannot be compared: it does not say %s"),
                    missing);
            hp_err_locate(err, input->public.name, 0);
            return HP_E_EMPTY;
        }
    }
    return HP_OK;
}

// Whether the report is a merge, which has something to write although no input has the
// metric: other metrics in a format with all metrics, or sample types.
static bool has_others(const struct hp_view *view, enum hp_metric space) {
    unsigned can = view->use.can;
    bool has_types =
        (can & HP_HAS_SAMPLE_TYPES) != 0 && view->profile->types.of.count > 0;
    bool has_metrics =
        (can & HP_HAS_ALL_METRICS) != 0 &&
        (hp_view_has_metric(view, space) || hp_view_has_metric(view, HP_ALLOC_SPACE));
    return view->options.kind == HP_REPORT_MERGE && (has_types || has_metrics);
}

// Fail because no input has the metric, with advice on the metrics that inputs have.
// `space`: the metric of bytes in the same column.
static int refuse_missing(const struct hp_view *view, enum hp_metric space,
                          struct hp_err *err) {
    const char *what = space == HP_INUSE_SPACE ? "is in use" : "was allocated and freed";
    char names[256];
    if (hp_view_has_metric(view, space)) {
        return hp_fail(err, HP_E_EMPTY,
                       HP_MESSAGE("no-objects-known",
                                  "no input has numbers of objects, only bytes"));
    }
    if (view->profile->types.of.count > 0) {
        hp_projection_names(view->profile, names, sizeof names);
        return hp_fail(err, HP_E_EMPTY,
                       HP_MESSAGE("metric-not-there",
                                  "no input says what %s. --metric takes %s"),
                       what, names);
    }
    if (space == HP_INUSE_SPACE && hp_view_has_metric(view, HP_INUSE_OBJECTS)) {
        return hp_fail(err, HP_E_EMPTY,
                       HP_MESSAGE("only-objects-there",
                                  "inputs have no bytes, only objects. Use "
                                  "--metric=inuse-objects"));
    }
    return space == HP_INUSE_SPACE
               ? hp_fail(
                     err, HP_E_EMPTY,
                     HP_MESSAGE("in-use-not-there",
                                "no input says what is in use. Use --metric=alloc-space"))
               : hp_fail(err, HP_E_EMPTY,
                         HP_MESSAGE("allocated-not-there",
                                    "no input says what was allocated and freed%s"),
                         view->head.summary[HP_SIDE_ALL].is_jemalloc
                             ? ": run the program with prof_accum:true"
                             : "");
}

// Fail if no input has the metric, or if the report compares inputs and some input lacks
// the metric.
static int refuse_metric(const struct hp_view *view, struct hp_err *err) {
    enum hp_report_kind kind = view->options.kind;
    enum hp_metric metric = view->options.metric;
    bool is_inuse = hp_column_of(metric) == HP_COLUMN_INUSE;
    enum hp_metric space = is_inuse ? HP_INUSE_SPACE : HP_ALLOC_SPACE;
    if (kind == HP_REPORT_INFO || (is_inuse && has_others(view, space)) ||
        view->head.summary[HP_SIDE_ALL].used == 0) {
        return HP_OK;
    }
    if (view->type || hp_view_has_metric(view, metric)) {
        bool compares = (view->report->has_sides && !hp_view_is_of_differences(view)) ||
                        kind == HP_REPORT_TREND;
        return compares ? refuse_incomplete(view, err) : HP_OK;
    }
    return refuse_missing(view, space, err);
}

// Fail if options.by asks for rows of inputs, threads, labels, sizes or ages, and the
// format cannot show them.  In tables they are rows of top; in formats of stacks they are
// labels; in a page they are a facet.
static int refuse_groups(const struct hp_view *view, struct hp_err *err) {
    const struct hp_report_options *options = &view->options;
    // A page shows them as a facet, and not as rows.
    bool has_groups = hp_report_can_group(options->kind, options->by, view->use.can) &&
                      view->use.shape != HP_SHAPE_PAGE;
    if (options->by >= HP_BY_INPUT && !has_groups && !hp_page_has_facet(view)) {
        return hp_fail(
            err, HP_E_USAGE,
            HP_MESSAGE(
                "rows-not-of-report",
                "%s as %s cannot show rows of inputs, threads, labels, sizes or ages"),
            view->report->name, options->format);
    }
    return options->by == HP_BY_LABEL && !options->label
               ? hp_fail(err, HP_E_USAGE,
                         HP_MESSAGE("label-without-key",
                                    "rows of labels need the key of a label"))
               : HP_OK;
}

// Whether any series has two dumps.
static bool has_series(const struct hp_view *view) {
    bool has = false;
    for (size_t i = 1; i < view->series_count; i++) {
        has |= view->series[i].series == view->series[i - 1].series;
    }
    return has;
}

// Fail if the inputs do not fit the report: no input has the label or thread that rows
// are asked for, a side of a comparison has no input, or no process has two dumps.
static int refuse_inputs(const struct hp_view *view, struct hp_err *err) {
    const struct hp_report_options *options = &view->options;
    size_t used = view->head.summary[HP_SIDE_ALL].used;
    size_t base = view->head.summary[HP_SIDE_BASE].used;
    if (options->by >= HP_BY_INPUT && !hp_groups_exist(view->profile, options)) {
        bool by_label = options->by == HP_BY_LABEL;
        return hp_fail(err, HP_E_EMPTY, HP_MESSAGE("no-input-has", "no input has %s%s"),
                       by_label                       ? "a label "
                       : options->by == HP_BY_PROGRAM ? "a memory map"
                                                      : "threads",
                       by_label ? options->label : "");
    }
    if (view->report->has_sides && hp_view_is_of_differences(view)) {
        return HP_OK;
    }
    if (view->report->has_sides && view->head.summary[HP_SIDE_BASE].all == 0) {
        return hp_fail(
            err, HP_E_USAGE,
            HP_MESSAGE(
                "diff-sides",
                "diff needs two sides: diff BASE NEW, or BASE... --to NEW..., or one "
                "difference of profiles"));
    }
    if (view->report->has_sides && (base == 0 || base == used)) {
        return hp_fail(err, HP_E_EMPTY,
                       HP_MESSAGE("diff-side-unused",
                                  "nothing to compare: no %s input could be used"),
                       base == 0 ? "base" : "new");
    }
    if (options->kind == HP_REPORT_TREND && !has_series(view)) {
        return hp_fail(err, HP_E_EMPTY,
                       HP_MESSAGE("trend-needs-dumps",
                                  "trend needs two or more dumps of one process, "
                                  "besides its exit dump"));
    }
    return HP_OK;
}

// Whether filters leave any of a stack of the profile.
static bool is_visible(const struct hp_view *view, size_t stack) {
    return !view->is_visible || view->is_visible[stack];
}

// Fail if filters leave no stack at all.  A profile without any stacks is no failure.
static int refuse_nothing(const struct hp_view *view, struct hp_err *err) {
    size_t count = view->profile->stacks.count, stack = 0;
    while (stack < count && !is_visible(view, stack)) {
        stack++;
    }
    if (count == 0 || stack < count) {
        return HP_OK;
    }
    return view->filters.focuses_picks
               ? hp_fail(err, HP_E_EMPTY,
                         HP_MESSAGE("pattern-no-match", "no %s%s matches the pattern"),
                         hp_granularity_text(view->options.by),
                         (view->filters.rules & ~(unsigned)hp_mark_of(HP_PICK)) != 0
                             ? hp_words(HP_WORDS("of-match-filtered",
                                                 " in the filtered stacks"))
                             : "")
               : hp_fail(err, HP_E_EMPTY,
                         HP_MESSAGE("filters-leave-nothing",
                                    "the filters exclude everything"));
}

// Fail if there is a condition of --fail-if and the report compares nothing, or if the
// condition has a bound for p and no p-value is known.  Such a condition can never hold,
// so that it would never fail a run.
static int refuse_gate(const struct hp_view *view, struct hp_err *err) {
    const struct hp_gate *gate = view->options.gate;
    bool has_p = view->precision.is_known[hp_column_of(view->options.metric)];
    if (gate && !view->report->growth) {
        return hp_fail(err, HP_E_USAGE,
                       HP_MESSAGE("gate-without-growth",
                                  "--fail-if does not apply to %s"),
                       view->report->name);
    }
    if (gate && gate->p > 0 && !has_p) {
        return hp_fail(
            err, HP_E_EMPTY,
            HP_MESSAGE(
                "gate-without-p",
                "--fail-if: no p to compare with %g, as the error of the inputs is "
                "unknown"),
            gate->p);
    }
    return HP_OK;
}

// --- the metric ---------------------------------------------------------------------------

// The sample type to show by default: the only one that the inputs have, if they have
// none of the four metrics.  NULL: show a metric.
static const struct hp_sample_type *only_type(const struct hp_view *view) {
    const struct hp_profile *profile = view->profile;
    bool has_it_anyway = view->options.kind == HP_REPORT_MERGE &&
                         (view->use.can & HP_HAS_SAMPLE_TYPES) != 0;
    bool is_needed = view->options.kind != HP_REPORT_INFO && !has_it_anyway &&
                     view->options.metric == HP_INUSE_SPACE;
    bool is_only =
        profile->types.of.count == 1 && profile->inputs.summary[HP_SIDE_ALL].metrics == 0;
    return is_needed && is_only ? &profile->types.of.at[0] : NULL;
}

// Set the metric or sample type to the one that options name, or choose one.  For a
// sample type, view->profile becomes a projection, with that type as its metric.
static int choose_metric(struct hp_view *view, struct hp_err *err) {
    const struct hp_profile *profile = view->profile;
    const char *name = view->options.metric_name;
    char names[384];
    bool is_asked = name && !hp_metric_find(name, &view->options.metric);
    view->type = is_asked ? hp_projection_find(profile, name)
                 : name   ? NULL
                          : only_type(view);
    if (!view->type && !is_asked) {
        return HP_OK;
    }
    if (!view->type) {
        hp_projection_names(profile, names, sizeof names);
        return hp_fail(err, HP_E_EMPTY,
                       HP_MESSAGE("metric-unknown",
                                  "no input has the metric '%.64s'. Use one of: %s"),
                       name, names);
    }
    view->type_name = hp_sample_type_name(profile, view->type);
    view->options.metric_name = view->type_name;
    view->projection = hp_projection_new(profile, view->type);
    view->profile = view->projection;
    view->options.metric = view->type->in_place_of;
    return HP_OK;
}

// --- facts and sums of all views ----------------------------------------------------------

// Copy facts about the inputs from the profile to view->head.
static void describe_inputs(struct hp_view *view) {
    const struct hp_profile *profile = view->profile;
    struct hp_head *head = &view->head;
    head->summary = profile->inputs.summary;
    head->inputs = profile->inputs.records.at;
    head->input_count = profile->inputs.records.count;
    head->processes = &profile->inputs.processes;
    head->snapshots = profile->settings.snapshots;
    head->has_moments = profile->keeps.moments;
    head->shards = profile->shards;
    head->chosen_for = profile->settings.metric;
    head->thread = hp_strtab_span(&profile->strings, profile->settings.thread);
    head->older_than = profile->settings.older_than;
    head->stacks = profile->stacks.count;
    head->has_alloc = profile->inputs.have_alloc;
    head->has_times = profile->inputs.have_times;
    head->has_input_labels = profile->inputs.labels.count > 0;
    head->estimator = profile->settings.estimator;
    head->first_time = NAN;
    for (size_t i = 0; i < head->input_count && head->has_times; i++) {
        if (hp_input_is_used(&head->inputs[i])) {
            head->first_time = fmin(head->first_time, head->inputs[i].identity.time);
        }
    }
}

// Set head.counted, the sum of the inputs that are used; add a warning if programs that
// read the report's output format would round or overflow some of its numbers.
static void add_up_counted(struct hp_view *view) {
    for (size_t i = 0; i < view->head.input_count; i++) {
        if (hp_view_counts(view, i)) {
            struct hp_values whole = hp_input_whole(&view->head.inputs[i]);
            hp_values_add(&view->head.counted, &whole);
            hp_values_add(&view->head.counted_stacks, &view->head.inputs[i].total);
        }
    }
    hp_cautions_of_numbers(view);
}

// Number of combinations of dumps among which one was chosen.  If the largest dump of
// each process was chosen, intervals must allow for the largest error of all
// combinations; otherwise 1.
static double count_choices(const struct hp_view *view) {
    static const double most = 1e200; // no quantile is known beyond this
    double choices = 1;
    const struct hp_process *process;
    hp_vec_each (process, &view->head.processes->all) {
        choices *= view->head.snapshots == HP_SNAPSHOTS_PEAK ? process->dumps : 1;
        choices = fmin(choices, most);
    }
    return choices;
}

// Whether rows have a meaningful sum.  Rows of several dumps of one process have none.
static bool has_total(const struct hp_view *view) {
    return view->options.kind == HP_REPORT_INFO || !view->head.has_moments ||
           view->head.processes->largest < 2;
}

// Set head.whole: the total with the gains of all headers.
static void add_up_whole(struct hp_view *view) {
    const struct hp_profile *profile = view->profile;
    struct hp_head *head = &view->head;
    head->whole = head->total;
    memcpy(head->whole_errors, head->errors, sizeof head->errors);
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        bool is_taken = hp_input_is_used(input) && input->has_gain && !view->projection &&
                        hp_profile_has_all_shards(profile);
        for (enum hp_column i = 0; i < HP_COLUMNS && is_taken; i++) {
            hp_input_add_gain(input, i, &head->whole.of[hp_space_of(i)],
                              &head->whole_errors[i]);
        }
        head->has_gain |= is_taken;
    }
}

// Set the totals in view->head, their errors and view->precision.  Members for the
// filtered sum become those of the total.
static void add_up(struct hp_view *view) {
    const struct hp_profile *profile = view->profile;
    struct hp_head *head = &view->head;
    head->total = hp_profile_total(profile);
    add_up_counted(view);
    head->filtered = head->total;
    head->has_total = has_total(view);
    view->precision.confidence = view->options.confidence;
    view->precision.among = count_choices(view);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        bool is_shown = !view->options.no_error;
        head->errors[i] = hp_profile_error(profile, i);
        head->filtered_errors[i] = head->errors[i];
        head->is_total_uncertain[i] = is_shown && hp_profile_is_uncertain(profile, i);
        view->precision.is_known[i] = is_shown && hp_profile_has_errors(profile, i);
        head->is_uncertain[i] =
            head->is_total_uncertain[i] && view->precision.is_known[i];
        view->precision.period[i] = head->errors[i].period;
    }
    add_up_whole(view);
}

// Set head.filtered and head.filtered_errors: sums over the stacks that filters leave.
static void add_up_filtered(struct hp_view *view) {
    const struct hp_profile *profile = view->profile;
    struct hp_head *head = &view->head;
    head->filtered = (struct hp_values){{0}};
    memset(head->filtered_errors, 0, sizeof head->filtered_errors);
    for (size_t i = 0; i < profile->stacks.count; i++) {
        if (!view->is_visible[i]) {
            continue;
        }
        hp_values_add(&head->filtered, &profile->stacks.at[i].values);
        for (enum hp_column k = 0; k < HP_COLUMNS; k++) {
            if (hp_profile_has_errors(profile, k)) {
                hp_error_add(&head->filtered_errors[k],
                             hp_stack_error(&profile->errors.stacks[k], i));
            }
        }
    }
}

// Check the patterns of the frame rules; returns an error code.  This is for formats that
// name no frames, as naming all frames only for the check would take too long.
static int check_rules(const struct hp_view *view, struct hp_err *err) {
    struct hp_frame_rules rules;
    int ret = hp_frame_rules_init(&rules, view->profile, view->options.frames.rules,
                                  view->options.frames.rule_count, err);
    hp_frame_rules_done(&rules);
    return ret;
}

// Copy options.frame_rules to view->rules, as the caller may free the patterns before the
// view is written.
static void keep_rules(struct hp_view *view) {
    const struct hp_report_options *options = &view->options;
    size_t count = options->frames.rule_count;
    view->rules = hp_alloc(count * sizeof *view->rules);
    for (size_t i = 0; i < count; i++) {
        view->rules[i] = options->frames.rules[i];
        view->rules[i].pattern = hp_copy(view->rules[i].pattern);
    }
    view->options.frames.rules = view->rules;
}

// Name all frames.  Stacks of addresses are named by function and a listing by line,
// whatever options.by says.
static int name_frames(struct hp_view *view, struct hp_err *err) {
    struct hp_report_options options = view->options;
    if (view->use.shape == HP_SHAPE_PROFILE) {
        return check_rules(view, err);
    }
    if (view->use.shape == HP_SHAPE_ADDRESSES || options.by == HP_BY_GROUP ||
        view->labelled) {
        options.by = HP_BY_FUNCTION;
    } else if (options.kind == HP_REPORT_LIST) {
        options.by = HP_BY_LINE;
    }
    return hp_naming_init(&view->naming, view->profile, &view->filters, &options, err);
}

// Make groups of stacks the rows: replace the frames of each stack by that of its group.
// The filters have chosen stacks already, by their own frames, and have no effect any more.
static int take_groups(struct hp_view *view, struct hp_err *err) {
    struct hp_stack_groups groups;
    int ret = hp_stack_groups_init(&groups, view->profile, view->options.groups.at,
                                   view->options.groups.count, err);
    if (ret == HP_OK) {
        hp_naming_done(&view->naming);
        view->grouped = hp_grouped_profile_new(view->profile, &groups, view->is_visible);
        view->profile = view->grouped;
        if (view->is_visible) {
            hp_filters_only_ignore(&view->filters, view->profile, groups.names.count);
        }
        view->options.frames.fold = HP_FRAMES_RAW;
        ret = name_frames(view, err);
    }
    hp_stack_groups_done(&groups);
    return ret;
}

// Apply the filters: match their patterns, name the frames, find the visible stacks and
// add them up.  Fails if a pattern is wrong, or if nothing is left.
static int filter(struct hp_view *view, struct hp_err *err) {
    const struct hp_report_options *options = &view->options;
    int ret = hp_filters_init(&view->filters, view->profile, options->filters,
                              options->filter_count, err);
    view->options.filters = view->filters.at;
    keep_rules(view);
    view->filters.focuses_picks =
        options->kind == HP_REPORT_PEEK && view->use.shape == HP_SHAPE_GRAPH;
    bool by_own_name = options->kind == HP_REPORT_PEEK &&
                       hp_filters_pick_by_own_name(&view->filters, options->by);
    if (ret == HP_OK && (options->kind == HP_REPORT_LIST || by_own_name)) {
        ret = hp_filters_pick_own(&view->filters, view->profile, err);
    }
    if (ret != HP_OK) {
        return ret;
    }
    hp_cautions_of_patterns(view);
    view->head.is_filtered = hp_filters_any(&view->filters);
    ret = name_frames(view, err);
    if (ret == HP_OK && view->head.is_filtered) {
        view->is_visible = hp_visible_stacks(&view->naming);
        add_up_filtered(view);
        ret = refuse_nothing(view, err);
    }
    return ret == HP_OK && options->by == HP_BY_GROUP ? take_groups(view, err) : ret;
}

// --- shapes -------------------------------------------------------------------------------

// Number of rows, sorted by cum, that a graph draws: up to the limit, and only rows of at
// least 1/LEAST_NODE of the filtered sum.
static size_t count_large(const struct hp_top *top, const struct hp_view *view) {
    enum hp_metric metric = view->options.metric;
    size_t most = hp_view_shown(view, view->rows.count), count = 0;
    for (; count < most; count++) {
        hp_fixed cum = hp_top_cum(top, view->rows.at[count].node, metric).sum;
        if (cum <= 0 || cum * LEAST_NODE < view->head.filtered.of[metric]) {
            break;
        }
    }
    return count;
}

// Make the rows of a graph, sorted by cum; set view->drawn, the number of rows to draw,
// and find the calls between these rows.
static void build_graph(struct hp_view *view) {
    size_t nodes = hp_node_count(&view->naming);
    struct hp_top *top = view->extra = hp_alloc(sizeof *top);
    bool *is_shown = hp_alloc(nodes);
    bool has_errors = (view->use.can & HP_IS_PICTURE) != 0;
    struct hp_top_errors errors = {.rows = SIZE_MAX};
    enum hp_column column = hp_column_of(view->options.metric);
    errors.flat[column] = errors.cum[column] =
        has_errors && view->head.is_uncertain[column];
    hp_top_init(top, view, errors);
    hp_top_sum_nodes(top, view);
    hp_top_sort_rows(top, view, HP_SORT_CUM, hp_view_needed(view, view->rows.count));
    view->drawn = count_large(top, view);
    for (size_t i = 0; i < view->drawn; i++) {
        is_shown[view->rows.at[i].node.n] = true;
    }
    hp_stacks_init(&view->stacks, HP_STACKS_OF_NAMES, &view->naming, &view->options);
    hp_edges_init(&view->edges, &view->stacks, view->options.metric, is_shown);
    free(is_shown);
}

// Build the data that the format needs (use.shape).  Returns an error code.
static int build_shape(struct hp_view *view, struct hp_err *err) {
    switch (view->use.shape) {
    case HP_SHAPE_ROWS:
        return view->report->build ? view->report->build(view, err) : HP_OK;
    case HP_SHAPE_GRAPH:
        build_graph(view);
        break;
    case HP_SHAPE_PAGE:
        return hp_page_build(view, err);
    case HP_SHAPE_PROFILE:
        break;
    case HP_SHAPE_NAMES:
        hp_stacks_init(&view->stacks, HP_STACKS_OF_NAMES, &view->naming, &view->options);
        break;
    case HP_SHAPE_ADDRESSES:
        hp_stacks_init(&view->stacks, HP_STACKS_OF_ADDRESSES, &view->naming,
                       &view->options);
        break;
    }
    return HP_OK;
}

// Choose the metric, the dumps of a series and the sides of a difference of two profiles.
// Fails if the report cannot be made from these inputs or with these options; returns an
// error code.
static int choose(struct hp_view *view, struct hp_err *err) {
    int ret = choose_metric(view, err);
    describe_inputs(view);
    if (view->report->needs_series) {
        view->series = hp_series_new(view->profile, &view->series_count);
    }
    hp_resets_settle(view);
    ret = ret == HP_OK ? hp_two_signs_refuse(view, err) : ret;
    ret = ret == HP_OK ? refuse_groups(view, err) : ret;
    ret = ret == HP_OK ? hp_size_rows_refuse(view, err) : ret;
    ret = ret == HP_OK ? refuse_metric(view, err) : ret;
    ret = ret == HP_OK ? refuse_inputs(view, err) : ret;
    ret = ret == HP_OK ? hp_two_signs_take(view) : ret;
    if (ret == HP_OK && hp_stacks_are_by_label(view)) {
        view->labelled = hp_labelled_profile_new(view);
        view->profile = view->labelled;
    }
    return ret;
}

// The classes of calls that the view folds.  The default depends on the report and not on
// the format, except that for formats of other tools only the allocator is folded, as
// those tools fold by themselves.  Nothing is folded if a filter `show` chooses calls.
static enum hp_frames frames_of(const struct hp_view *view) {
    const struct hp_report_options *options = &view->options;
    for (size_t i = 0; i < options->filter_count; i++) {
        if (options->filters[i].rule == HP_SHOW) {
            return HP_FRAMES_RAW;
        }
    }
    bool is_ours = view->use.shape == HP_SHAPE_ROWS || view->use.shape == HP_SHAPE_PAGE ||
                   (view->use.can & HP_IS_PICTURE) != 0;
    bool by_code = options->by <= HP_BY_FILE || hp_page_has_facet(view);
    bool is_code = is_ours && by_code && options->kind != HP_REPORT_STACKS &&
                   options->kind != HP_REPORT_INFO &&
                   view->profile->settings.estimator != HP_ESTIMATOR_JEPROF;
    return options->frames.fold != HP_FRAMES_DEFAULT ? options->frames.fold
           : is_code                                 ? HP_FRAMES_CODE
                                                     : HP_FRAMES_ALL;
}

// Copy the label and the condition of --fail-if from the options, which point to memory
// of the caller, and set options.frames.
static void take_options(struct hp_view *view) {
    view->options.label = view->label;
    view->options.frames.fold = frames_of(view);
    if (view->options.gate) {
        view->gate = *view->options.gate;
        view->options.gate = &view->gate;
    }
}

// Whether the condition of --fail-if needs a second view (view->judged): it compares
// rows, which this view may not have; and rows of functions, if lines or addresses cannot
// be compared between builds.
static bool needs_other_rows(const struct hp_view *view) {
    return view->use.shape != HP_SHAPE_ROWS || hp_open_code_has_moved(view);
}

struct hp_view *hp_view_build(const struct hp_profile *profile,
                              const struct hp_report_options *options,
                              struct hp_view_use use, struct hp_err *err) {
    struct hp_view *view = hp_alloc(sizeof *view);
    *view = (struct hp_view){
        .profile = profile,
        .whole = profile,
        .report = hp_reports[options->kind],
        .options = *options,
        .use = use,
        .enough = HP_MOST_ROWS,
        .fitting = SIZE_MAX,
        .cache = hp_alloc(sizeof *view->cache),
        .label = options->label ? hp_copy(options->label) : NULL,
    };
    take_options(view);
    int ret = choose(view, err);
    ret = ret == HP_OK ? hp_page_take_facet(view, err) : ret;
    if (ret == HP_OK) {
        add_up(view);
        ret = refuse_gate(view, err);
    }
    if (ret == HP_OK && options->kind != HP_REPORT_INFO) {
        ret = filter(view, err);
    }
    ret = ret == HP_OK ? build_shape(view, err) : ret;
    view->options.sources.dirs = NULL; // the caller owns them; they have been read
    if (ret == HP_OK && options->gate && needs_other_rows(view)) {
        struct hp_view_use rows = {HP_SHAPE_ROWS, use.can, true};
        struct hp_report_options judged = *options;
        judged.by = hp_open_code_has_moved(view) ? HP_BY_FUNCTION : judged.by;
        view->judged = hp_view_build(profile, &judged, rows, err);
        ret = view->judged ? HP_OK : (int)err->code;
    }
    if (ret != HP_OK) {
        hp_cautions_explain(view, err);
        hp_view_free(view);
        return NULL;
    }
    hp_cautions_of_code(view);
    hp_cautions_of_ends(view);
    return view;
}

void hp_view_write_partial(struct hp_sink *out, const struct hp_view *view) {
    struct hp_err err = {0};
    struct hp_shards shard = {.count = (uint32_t)view->options.shards};
    shard.present = shard.count > 0 ? UINT64_C(1) << view->options.shard : 0;
    if (hp_partial_write(view->whole, shard, out, &err) != HP_OK) {
        out->cause = err;
    }
}

// Free the profiles that were made for this view.
static void free_profiles(struct hp_view *view) {
    hp_two_signs_free(view->split);
    hp_grouped_profile_free(view->grouped);
    hp_labelled_profile_free(view->labelled);
    hp_projection_free(view->projection);
}

void hp_view_free(struct hp_view *view) {
    if (!view) {
        return;
    }
    if (view->extra && view->use.shape == HP_SHAPE_GRAPH) {
        hp_top_done(view->extra);
    } else if (view->report->done && view->extra) {
        view->report->done(view);
    }
    free(view->extra);
    free(view->by_value);
    hp_view_free(view->judged);
    hp_edges_done(&view->edges);
    hp_stack_sums_done(&view->cache->sums);
    hp_stacks_done(&view->stacks);
    hp_naming_done(&view->naming);
    hp_filters_done(&view->filters);
    for (size_t i = 0; view->rules && i < view->options.frames.rule_count; i++) {
        free((char *)(uintptr_t)view->rules[i].pattern);
    }
    free(view->rules);
    hp_vec_done(&view->fields);
    hp_vec_done(&view->rows);
    hp_page_done(view);
    hp_vec_done(&view->cache->frames);
    free(view->cache->first_member);
    free(view->cache->next_member);
    hp_sizes_done(&view->cache->sizes);
    hp_vec_done(&view->cache->parts);
    free(view->is_visible);
    free(view->series);
    free(view->cache->origins.of);
    free(view->cache->origins.state);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        free(view->cache->unseen[i]);
    }
    free(view->cache);
    free_profiles(view);
    free(view->type_name);
    free(view->label);
    hp_cautions_done(view);
    free(view);
}
