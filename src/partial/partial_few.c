// Partials of few dumps, once all have more than are told of one by one: of what each added sums of groups
// are kept, and stacks become runs, as those of a partial of many are.
#include "partial/partial_reader.h"

enum {
    ROOM = 4 << 20, // bytes of stacks that are not packed yet
};

static bool are_too_many(const struct hp_partial_reader *r) {
    return hp_reader_makes_runs(r) &&
           r->to->dumps > r->parameters.of[HP_PARAMETER_HISTORY];
}

void hp_reader_fold(struct hp_partial_reader *r) {
    bool is_whole = r->parameters.of[HP_PARAMETER_SHARDS] == 1;
    uint64_t aside = r->skipped[HP_REASON_OTHER_MOMENT];
    r->to->dumps += is_whole ? r->group_dumps + aside : 0;
    if (are_too_many(r) && r->profile->history.is_kept) {
        hp_profile_fold_history(r->profile);
    }
}

int hp_reader_pack_folded(struct hp_partial_reader *r, struct hp_err *err) {
    uint64_t room = r->to->stack_memory < ROOM ? r->to->stack_memory : ROOM;
    bool packs = are_too_many(r) && hp_profile_can_spill(r->profile) &&
                 hp_profile_stack_memory(r->profile) > room;
    return packs ? hp_profile_pack(r->profile, r->to->store, err) : HP_OK;
}
