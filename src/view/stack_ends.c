#include "view/stack_ends.h"

#include "view/frame_rules.h"

#include <string.h>

enum {
    JEMALLOC_DEPTH = 128, // default of jemalloc: PROF_BT_MAX_DEFAULT
};

// Least share of the bytes that a table warns of.
static const double least_share = 0.2;

// Return the outermost call of a frame, or NULL if it has no names.
static const struct hp_line *outermost(const struct hp_profile *profile,
                                       const struct hp_frame *frame) {
    return frame->lines > 0 ? &profile->lines.at[frame->first_line + frame->lines - 1]
                            : NULL;
}

// Return whether a frame is generated code.
static bool is_generated(const struct hp_profile *profile, const struct hp_frame *frame) {
    const struct hp_module *module = &profile->modules.at[frame->module.n];
    return module->kind == HP_MODULE_PSEUDO &&
           strcmp(hp_profile_original(profile, module->path), HP_GENERATED_MODULE) == 0;
}

// Return whether a function runs on another stack than its callers, so that unwinders end
// there.
static bool is_boundary(const char *function) {
    return strcmp(function, "runtime.asmcgocall") == 0 ||
           strcmp(function, "runtime.asmcgocall.abi0") == 0;
}

// Return the number of frames that the writer records at most: that of the statistics of
// the allocator, if they are there.
static uint64_t find_limit(const struct hp_profile *profile) {
    uint64_t limit = 0;
    const struct hp_account *account;
    hp_vec_each (account, &profile->inputs.accounts) {
        limit = account->stats.bt_max > limit ? account->stats.bt_max : limit;
    }
    return limit > 0 ? limit : JEMALLOC_DEPTH;
}

// Return why a stack ends too early; HP_ENDS: it does not.  `limit`: find_limit().
static enum hp_stack_end end_of(struct hp_frame_rules *rules,
                                const struct hp_stack *stack, uint64_t limit) {
    const struct hp_profile *profile = rules->profile;
    if (stack->depth == 0) {
        return HP_END_EMPTY;
    }
    const struct hp_frame *last = &profile->frames.at[stack->frames[stack->depth - 1].n];
    const struct hp_line *line = outermost(profile, last);
    const char *function = line ? hp_profile_original(profile, line->function) : "";
    if (is_generated(profile, last)) {
        return HP_END_GENERATED;
    }
    if (stack->depth == limit || strcmp(function, "[truncated]") == 0) {
        return HP_END_LIMIT;
    }
    if (hp_frame_rules_class(rules, last, line) == HP_CLASS_ALLOCATOR) {
        return HP_END_ALLOCATOR;
    }
    return is_boundary(function) ? HP_END_BOUNDARY : HP_ENDS;
}

// Return whether a stack has generated code at whose address other code was before.
static bool has_two_names(const struct hp_profile *profile,
                          const struct hp_stack *stack) {
    bool has = false;
    for (uint32_t i = 0; i < stack->depth && !has; i++) {
        has = hp_frame_is_doubtful(profile, &profile->frames.at[stack->frames[i].n]);
    }
    return has;
}

// Return whether any frame of the profile is generated code with two names.
static bool has_doubtful(const struct hp_profile *profile) {
    bool has = false;
    const struct hp_frame *frame;
    hp_vec_each (frame, &profile->frames) {
        has |= hp_frame_is_doubtful(profile, frame);
    }
    return has;
}

bool hp_stack_ends_find(const struct hp_view *view, struct hp_stack_ends *ends) {
    const struct hp_profile *profile = view->profile;
    enum hp_metric metric = view->options.metric;
    hp_fixed early[HP_ENDS + 1] = {0}, two_names = 0, total = 0;
    struct hp_frame_rules rules;
    struct hp_err err = {0};
    bool are_good = hp_frame_rules_init(&rules, profile, NULL, 0, &err) == HP_OK;
    bool are_doubtful = has_doubtful(profile);
    uint64_t limit = find_limit(profile);
    const struct hp_stack *stack;
    hp_vec_each (stack, &profile->stacks) {
        hp_fixed value = stack->values.of[metric];
        early[end_of(&rules, stack, limit)] += value;
        two_names += are_doubtful && has_two_names(profile, stack) ? value : 0;
        total += value;
    }
    hp_frame_rules_done(&rules);
    *ends = (struct hp_stack_ends){.all = 0};
    for (int i = 0; i < HP_ENDS && total > 0; i++) {
        ends->early[i] = (double)early[i] / (double)total;
        ends->all += ends->early[i];
    }
    ends->two_names = total > 0 ? (double)two_names / (double)total : 0;
    return are_good && total > 0;
}

// --- warnings --------------------------------------------------------------------------

static const char *text_of(enum hp_stack_end end) {
    static const char *const texts[HP_ENDS] = {
        [HP_END_EMPTY] = HP_WORDS("end-empty",
                                  "are empty: the unwinder failed. Use jemalloc with "
                                  "--enable-prof-libunwind or -frameptr"),
        [HP_END_ALLOCATOR] =
            HP_WORDS("end-allocator",
                     "end in the allocator. Build with frame pointers or unwind "
                     "tables (--enable-prof-frameptr)"),
        [HP_END_GENERATED] =
            HP_WORDS("end-generated",
                     "end in generated code: unwind by frame pointers "
                     "(--enable-prof-frameptr, -XX:+PreserveFramePointer)"),
        [HP_END_LIMIT] =
            HP_WORDS("end-limit", "have as many frames as are recorded (prof_bt_max)"),
        [HP_END_BOUNDARY] =
            HP_WORDS("end-boundary", "end where Go calls C, on another stack"),
    };
    return hp_words(texts[end]);
}

// Add the warning about one reason.
static void add(struct hp_view *view, double share, enum hp_stack_end end) {
    hp_caution(
        view, HP_MESSAGE("stacks-end-early", "%.1f%% of the memory is in stacks that %s"),
        share * 100, text_of(end));
}

void hp_cautions_of_ends(struct hp_view *view) {
    bool is_info = view->options.kind == HP_REPORT_INFO;
    bool is_top = view->options.kind == HP_REPORT_TOP && view->options.by < HP_BY_INPUT;
    struct hp_stack_ends ends;
    if ((!is_info && !is_top) || hp_view_is_of_differences(view) ||
        !hp_stack_ends_find(view, &ends)) {
        return;
    }
    enum hp_stack_end most = HP_END_EMPTY;
    for (enum hp_stack_end i = HP_END_EMPTY; i < HP_ENDS; i++) {
        most = ends.early[i] > ends.early[most] ? i : most;
        if (is_info && ends.early[i] > 0) {
            add(view, ends.early[i], i);
        }
    }
    if (is_top && ends.all > least_share) {
        add(view, ends.early[most], most);
    }
    if (ends.two_names > 0) {
        hp_caution(view,
                   HP_MESSAGE("stacks-two-names",
                              "[2 names]: other code was at the address before, for "
                              "%.1f%% of the memory"),
                   ends.two_names * 100);
    }
}
