#include "view/two_signs.h"

#include <string.h>

bool hp_is_of_differences(const struct hp_profile *profile) {
    return profile->inputs.summary[HP_SIDE_ALL].is_difference;
}

bool hp_view_is_negative(const struct hp_view *view) {
    const struct hp_profile *profile = view->profile;
    bool found = false;
    for (size_t i = 0; i < profile->stacks.count; i++) {
        bool is_visible = !view->is_visible || view->is_visible[i];
        for (int k = 0; k < HP_METRICS && is_visible; k++) {
            found |= profile->stacks.at[i].values.of[k] < 0;
        }
    }
    return found;
}

// --- refusals -----------------------------------------------------------------------------

// The reason why the view cannot show a difference of two profiles, as the end of a
// sentence; NULL: it can.
static const char *refusal_of(const struct hp_view *view) {
    const struct hp_report_options *options = &view->options;
    bool is_table = options->kind == HP_REPORT_TOP || view->report->has_sides;
    bool is_series = view->report->needs_series || options->kind == HP_REPORT_TIMELINE;
    return view->head.summary[HP_SIDE_BASE].all > 0
               ? HP_WORDS("signs-no-base", "cannot be compared: its base is unknown")
           : is_series ? HP_WORDS("signs-no-series", "is not a dump of a series")
           : view->report->needs_accounts
               ? HP_WORDS("signs-no-process", "is not a dump of a process")
           : options->gate ? HP_WORDS("signs-no-gate", "has no base for --fail-if")
           : options->tree.min_share > 0
               ? HP_WORDS("signs-no-shares", "has no shares for --min-share")
           : options->columns.spread
               ? HP_WORDS("signs-no-spread", "has no --columns=spread")
           : options->columns.sizes || options->columns.ages
               ? HP_WORDS("signs-no-sizes", "has no --columns=sizes and no --columns=age")
           : is_table && options->by >= HP_BY_INPUT
               ? HP_WORDS("signs-no-rows", "has only rows of functions and other code")
               : NULL;
}

// Whether an input can be a difference of two profiles: a pprof profile can be, a dump of
// an allocator cannot.
static bool may_be_difference(const struct hp_input_record *input) {
    return input->producer >= HP_PRODUCER_PPROF &&
           input->producer <= HP_PRODUCER_PPROF_OURS;
}

// Fail with HP_E_EMPTY and the sentence "INPUT: it is ...", completed by `what` and
// `why`.
static int refuse(const struct hp_input_record *input, const char *what, const char *why,
                  struct hp_err *err) {
    hp_fail(err, HP_E_EMPTY, HP_MESSAGE("input-refused-as-difference", "it is %s %s"),
            hp_words(what), hp_words(why));
    hp_err_locate(err, input->public.name, 0);
    return HP_E_EMPTY;
}

int hp_two_signs_refuse(const struct hp_view *view, struct hp_err *err) {
    enum hp_report_kind kind = view->options.kind;
    const char *refusal = refusal_of(view);
    const struct hp_input_record *input, *difference = NULL, *dump = NULL;
    if (!hp_view_is_of_differences(view) || kind == HP_REPORT_INFO) {
        return HP_OK;
    }
    hp_vec_each (input, &view->profile->inputs.records) {
        bool is_used = hp_input_is_used(input);
        difference = is_used && input->negative > 0 && !difference ? input : difference;
        dump = is_used && !may_be_difference(input) && !dump ? input : dump;
    }
    if (refusal && difference) {
        return refuse(difference, "a difference of two profiles, which", refusal, err);
    }
    return dump && kind != HP_REPORT_MERGE
               ? refuse(dump,
                        HP_WORDS("signs-no-difference", "no difference of two profiles,"),
                        HP_WORDS("signs-beside-difference",
                                 "as another input is: merge adds them up"),
                        err)
               : HP_OK;
}

// --- both sides ---------------------------------------------------------------------------

// The positive part of a stack's values; for the base, the negative part as a positive
// number.
static struct hp_values part_of(const struct hp_values *values, bool is_base) {
    struct hp_values part = {{0}};
    for (enum hp_metric i = 0; i < HP_METRICS; i++) {
        hp_fixed value = is_base ? -values->of[i] : values->of[i];
        part.of[i] = value > 0 ? value : 0;
    }
    return part;
}

// Add one side of the difference to `split`, as one input without a process, like `input`
// in format and metrics.
static void add_side(struct hp_profile *split, const struct hp_input_record *input,
                     bool is_base) {
    static const struct hp_error *const no_errors[HP_COLUMNS];
    struct hp_input_record side = {
        .public = input->public,
        .process = HP_NO_PROCESS,
        .number = !is_base,
        .producer = input->producer,
        .scaling = input->scaling,
        .period = input->period,
        .missing_metrics = input->missing_metrics,
        .has_alloc = input->has_alloc,
        .is_added = true,
        .is_base = is_base,
        .negative = input->negative,
    };
    struct hp_history *history = &split->history;
    hp_history_begin(history);
    for (uint32_t i = 0; i < split->stacks.count; i++) {
        struct hp_values part = part_of(&split->stacks.at[i].values, is_base);
        hp_values_add(&side.total, &part);
        hp_history_put(history, i, &part, no_errors);
    }
    hp_history_end(history, side.number);
    hp_vec_push(&split->inputs.records, side);
}

// Return a record that has all metrics which any used input has; the rest is from the
// last used input.
static struct hp_input_record typical_input(const struct hp_profile *profile) {
    struct hp_input_record typical = {.missing_metrics = ~0u};
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        if (hp_input_is_used(input)) {
            unsigned missing = typical.missing_metrics & input->missing_metrics;
            bool has_alloc = typical.has_alloc || input->has_alloc;
            typical = *input;
            typical.missing_metrics = missing;
            typical.has_alloc = has_alloc;
        }
    }
    return typical;
}

// Summarize the inputs of the original profile as a whole, and the two sides one by one.
static void summarize(struct hp_profile *split, const struct hp_profile *profile) {
    memset(split->inputs.summary, 0, sizeof split->inputs.summary);
    hp_input_summary_init(&split->inputs.summary[HP_SIDE_ALL], profile->inputs.records.at,
                          profile->inputs.records.count, HP_SIDE_ALL);
    for (enum hp_input_side side = HP_SIDE_BASE; side < HP_SIDES; side++) {
        hp_input_summary_init(&split->inputs.summary[side], split->inputs.records.at,
                              split->inputs.records.count, side);
    }
}

// Copy a profile: its stacks are copied, the copy has no inputs and an empty history, and
// everything else is borrowed.  Freed by hp_two_signs_free().
static struct hp_profile *borrow(const struct hp_profile *profile) {
    struct hp_profile *copy = hp_alloc(sizeof *copy);
    *copy = *profile;
    memset(&copy->stacks, 0, sizeof copy->stacks);
    memset(&copy->inputs.records, 0, sizeof copy->inputs.records);
    memset(copy->inputs.summary, 0, sizeof copy->inputs.summary);
    copy->history = (struct hp_history){.is_kept = true};
    hp_vec_append(&copy->stacks, profile->stacks.at, profile->stacks.count);
    return copy;
}

// Make a profile with both sides of a difference.
static struct hp_profile *split_signs(const struct hp_profile *profile) {
    struct hp_profile *split = borrow(profile);
    struct hp_input_record input = typical_input(profile);
    add_side(split, &input, true);
    add_side(split, &input, false);
    hp_history_sort(&split->history);
    summarize(split, profile);
    return split;
}

// --- one side -----------------------------------------------------------------------------

// Make a profile with the growth of a difference only.
static struct hp_profile *keep_grown(const struct hp_profile *profile) {
    struct hp_profile *grown = borrow(profile);
    struct hp_stack *stack;
    hp_vec_each (stack, &grown->stacks) {
        stack->values = part_of(&stack->values, false);
    }
    struct hp_input_record *input;
    hp_vec_append(&grown->inputs.records, profile->inputs.records.at,
                  profile->inputs.records.count);
    hp_vec_each (input, &grown->inputs.records) {
        input->negative = 0;
    }
    hp_inputs_summarize(&grown->inputs);
    return grown;
}

void hp_two_signs_free(struct hp_profile *profile) {
    if (profile) {
        hp_vec_done(&profile->stacks);
        hp_vec_done(&profile->inputs.records);
        hp_history_done(&profile->history);
        for (int i = 0; i < HP_SIDES; i++) {
            hp_vec_done(&profile->inputs.summary[i].periods);
        }
        free(profile);
    }
}

// --- views --------------------------------------------------------------------------------

int hp_two_signs_take(struct hp_view *view) {
    bool has_sides = view->report->has_sides;
    if (hp_view_is_of_differences(view) && (has_sides || view->options.only_grown)) {
        view->split = has_sides ? split_signs(view->profile) : keep_grown(view->profile);
        view->profile = view->split;
        view->head.summary = view->split->inputs.summary;
    }
    return HP_OK;
}
