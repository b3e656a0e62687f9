// Runs: sorted stacks that are not kept in memory, or kept there in compressed form.
// hp_partial_write() merges them with the others.
#ifndef HP_PARTIAL_RUNS_H
#define HP_PARTIAL_RUNS_H

#include "model/profile.h"
#include "partial/blocks.h"

// A run that is being written, between hp_run_writer_begin() and hp_run_writer_end(). The
// struct must not be moved meanwhile. Call end also after a failure between the two.
struct hp_run_writer {
    struct hp_block_writer *blocks; // writes to `sink`
    struct hp_sink sink;
    struct hp_run_output out; // where `sink` writes to
    struct hp_stack_run run;  // the run; its owner must free it after the end
};

// Begin a run. `known` has the members that are known before (frames, source, sets of
// labels); it is copied. `store` is locked until the end, so that only one thread at a
// time writes to its file; NULL: the run is written to memory. After a failure the store
// is not locked, and hp_run_writer_end() must not be called.
HP_MUST_CHECK int hp_run_writer_begin(struct hp_run_writer *writer,
                                      struct hp_block_writer *blocks,
                                      const struct hp_stack_run *known,
                                      struct hp_run_store *store, struct hp_err *err);
// End a run, and unlock its store. writer->run is then complete except for `stacks` and
// `first`.
HP_MUST_CHECK int hp_run_writer_end(struct hp_run_writer *writer, struct hp_err *err);

// Whether the stacks in memory can become a run. They cannot if there are further sample
// types, whose values refer to stacks by number. The history does too, but its numbers
// can be mapped.
static inline bool hp_profile_can_spill(const struct hp_profile *profile) {
    return profile->stacks.count > 0 && profile->types.of.count == 0;
}

// Write the stacks in memory, and their sums over replicates (model/between.h), to the
// file of `store` as a run, and remove them from memory.
HP_MUST_CHECK int hp_profile_spill(struct hp_profile *profile, struct hp_run_store *store,
                                   struct hp_err *err);
// Write the stacks in memory as a run, as hp_profile_spill() does, but keep the run in
// memory, compressed, if the store has room for it.
HP_MUST_CHECK int hp_profile_pack(struct hp_profile *profile, struct hp_run_store *store,
                                  struct hp_err *err);

#endif
