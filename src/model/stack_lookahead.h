// Prefetching of memory for stacks that will soon be added to a large profile.
//
// Without it adding a stack takes half a microsecond.  Nearly all of this time is spent
// waiting for memory in three dependent steps: the slot of the hash, the stack in that
// slot and its hash, and the frames that are compared.
#ifndef HP_MODEL_STACK_LOOKAHEAD_H
#define HP_MODEL_STACK_LOOKAHEAD_H

#include "model/profile.h"

enum {
    // Number of stacks by which the lookahead should precede hp_profile_add().
    HP_LOOKAHEAD = 12,
    HP_LOOKAHEAD_SIZE = 16, // slots of the ring buffer of hashes
};

// The hashes of the stacks that were announced last, without labels: stacks with labels
// gain nothing.  {0} to begin with.
struct hp_stack_lookahead {
    uint32_t hashes[HP_LOOKAHEAD_SIZE];
    size_t seen; // number of stacks announced so far
};

// Announce a stack that will be added soon: prefetch the slot of its hash, and do the
// second and the third step for stacks that were announced before.
void hp_stack_lookahead(struct hp_stack_lookahead *ahead,
                        const struct hp_profile *profile, const hp_frame_id *frames,
                        uint32_t depth);

#endif
