#include "view/picks.h"

#include "base/pattern.h"
#include "view/walk.h"

static bool is_picked(const struct hp_call *call) {
    return (call->marks & hp_mark_of(HP_PICK)) != 0;
}

// --- nodes ------------------------------------------------------------------------------

static void pick_names(const struct hp_naming *naming, struct hp_pattern *pattern,
                       bool *picks) {
    for (uint32_t i = 1; i < naming->names.strings.count; i++) {
        const char *name = hp_strtab_text(&naming->names, (hp_string){i});
        picks[i] = picks[i] || hp_pattern_matches(pattern, name);
    }
}

static bool *pick_nodes(const struct hp_naming *naming, struct hp_err *err) {
    const struct hp_profile *profile = naming->profile;
    bool *picks = hp_alloc(naming->names.strings.count + 1);
    const struct hp_call *call;
    hp_vec_each (call, &naming->calls) {
        picks[call->node.n] |= is_picked(call);
    }
    const struct hp_filter_text *filter;
    hp_vec_each (filter, &profile->marks.filters) {
        const char *text = hp_profile_text(profile, filter->pattern);
        struct hp_pattern pattern;
        if (filter->rule != HP_PICK || hp_pattern_init(&pattern, text, err) != HP_OK) {
            continue; // hp_profile_filter() has refused it
        }
        pick_names(naming, &pattern, picks);
        if (pattern.gave_up) {
            hp_fail(err, HP_E_LIMIT,
                    "pattern %s takes too many steps to match the names here", text);
        }
        hp_pattern_done(&pattern);
    }
    return picks;
}

bool *hp_picks_new(const struct hp_naming *naming) {
    struct hp_err ignored = {0}; // hp_picks_find() has told it
    return pick_nodes(naming, &ignored);
}

// --- whether there are any --------------------------------------------------------------

static bool has_node(const struct hp_walk *walk, const bool *picks) {
    bool found = false;
    for (size_t i = 0; !found && i < walk->nodes.count; i++) {
        found = picks[walk->nodes.at[i].n];
    }
    return found;
}

static bool has_function(const struct hp_naming *naming, const struct hp_walk *walk) {
    const struct hp_line *lines = naming->profile->lines.at;
    bool found = false;
    for (size_t i = 0; !found && i < walk->calls.count; i++) {
        const struct hp_call *call = &naming->calls.at[walk->calls.at[i]];
        found =
            is_picked(call) && call->line > 0 && lines[call->line - 1].function.n != 0;
    }
    return found;
}

int hp_picks_find(const struct hp_naming *naming, bool are_functions, bool *found,
                  struct hp_err *err) {
    const struct hp_profile *profile = naming->profile;
    struct hp_err hard = {0};
    struct hp_walk walk = {0};
    bool *picks = pick_nodes(naming, &hard);
    *found = false;
    for (size_t i = 0; !*found && i < profile->stacks.count; i++) {
        const struct hp_stack *stack = &profile->stacks.at[i];
        *found = are_functions
                     ? hp_walk_calls(naming, stack, &walk) && has_function(naming, &walk)
                     : hp_walk_nodes(naming, stack, &walk) && has_node(&walk, picks);
    }
    hp_walk_done(&walk);
    free(picks);
    if (hard.code != HP_OK) {
        *err = hard;
    }
    return hard.code;
}
