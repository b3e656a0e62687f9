// Stacks that will soon be added to many: the memory that adding them will look at is fetched before.
// To add one takes half a microsecond otherwise, nearly all of it waiting, step by step: for the slot
// of its hash, for the stack and its hash there, for the frames that are compared.
#ifndef HP_MODEL_STACK_LOOKAHEAD_H
#define HP_MODEL_STACK_LOOKAHEAD_H

#include "model/profile.h"

enum {
    HP_LOOKAHEAD = 12, // so many stacks before it is added one is looked at
    HP_LOOKAHEAD_SIZE = 16,
};

// {0} to begin with.
struct hp_stack_lookahead {
    uint32_t hashes[HP_LOOKAHEAD_SIZE];
    size_t seen;
};

// Look at the next stack, or at none behind the last.
void hp_stack_lookahead(struct hp_stack_lookahead *ahead,
                        const struct hp_profile *profile, const hp_frame_id *frames,
                        uint32_t depth);

#endif
