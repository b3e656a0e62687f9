#include "view/picks.h"

#include "view/walk.h"

static bool is_picked(const struct hp_call *call) {
    return (call->marks & hp_mark_of(HP_PICK)) != 0;
}

bool *hp_picks_new(const struct hp_naming *naming) {
    bool *picks = hp_alloc(naming->names.strings.count + 1);
    const struct hp_call *call;
    hp_vec_each (call, &naming->calls) {
        picks[call->node.n] |= is_picked(call);
    }
    return picks;
}

static bool has_name(const struct hp_profile *profile, const struct hp_call *call) {
    return call->line > 0 && profile->lines.at[call->line - 1].function.n != 0;
}

bool hp_picks_exist(const struct hp_profile *profile,
                    const struct hp_report_options *options) {
    struct hp_naming naming;
    struct hp_walk walk = {0};
    bool found = false;
    hp_naming_init(&naming, profile, options);
    for (size_t i = 0; !found && i < profile->stacks.count; i++) {
        bool is_left = hp_walk_calls(&naming, &profile->stacks.at[i], &walk);
        for (size_t k = 0; is_left && !found && k < walk.calls.count; k++) {
            const struct hp_call *call = &naming.calls.at[walk.calls.at[k]];
            found = is_picked(call) &&
                    (options->kind != HP_REPORT_LIST || has_name(profile, call));
        }
    }
    hp_walk_done(&walk);
    hp_naming_done(&naming);
    return found;
}
