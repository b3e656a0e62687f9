// Stacks that memory does not hold: written as a run, which hp_partial_write() merges with others.
#ifndef HP_PARTIAL_RUNS_H
#define HP_PARTIAL_RUNS_H

#include "model/profile.h"

// Whether the stacks in memory can become a run, as nothing goes by their numbers but the history.
static inline bool hp_profile_can_spill(const struct hp_profile *profile) {
    return profile->stacks.count > 0 && profile->types.of.count == 0;
}

// Write them to `store`, with sums of groups of the dumps that they are of, and let go of them.
HP_MUST_CHECK int hp_profile_spill(struct hp_profile *profile, struct hp_run_store *store,
                                   struct hp_err *err);

#endif
