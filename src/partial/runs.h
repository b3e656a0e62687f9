// Stacks that memory does not hold: written as a run, which hp_partial_write() merges with others.
#ifndef HP_PARTIAL_RUNS_H
#define HP_PARTIAL_RUNS_H

#include "model/profile.h"
#include "partial/blocks.h"

// One that is written: stays where it is between begin and end, which also follows a failure in between.
struct hp_run_writer {
    struct hp_block_writer *blocks; // that go to it
    struct hp_sink sink;
    struct hp_run_output out;
    struct hp_stack_run run; // in the end, where it is
};

// Where a store is given nobody else writes to it meanwhile; else the run is in memory.
HP_MUST_CHECK int hp_run_writer_begin(struct hp_run_writer *writer,
                                      struct hp_block_writer *blocks,
                                      const struct hp_stack_run *told,
                                      struct hp_run_store *store, struct hp_err *err);
HP_MUST_CHECK int hp_run_writer_end(struct hp_run_writer *writer, struct hp_err *err);

// Whether the stacks in memory can become a run, as nothing goes by their numbers but the history.
static inline bool hp_profile_can_spill(const struct hp_profile *profile) {
    return profile->stacks.count > 0 && profile->types.of.count == 0;
}

// Write them to `store`, with sums of groups of the dumps that they are of, and let go of them.
HP_MUST_CHECK int hp_profile_spill(struct hp_profile *profile, struct hp_run_store *store,
                                   struct hp_err *err);
// The same, but they stay in memory, packed, where the store has room.
HP_MUST_CHECK int hp_profile_pack(struct hp_profile *profile, struct hp_run_store *store,
                                  struct hp_err *err);

#endif
