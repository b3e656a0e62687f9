// Pairs of stacks in the records of recent frees (prof_recent): one stack allocated an
// object and another one freed it.
#ifndef HP_VIEW_RECENT_PAIRS_H
#define HP_VIEW_RECENT_PAIRS_H

#include "view/view.h"
#include "view/visible_frames.h"

// The pair of stacks that most objects of a row share.  If several pairs have as many
// objects, it is the pair with the smaller stack numbers.
struct hp_recent_pair {
    size_t count;         // of objects with this pair; 0: no object of the row was freed
    uint32_t alloc, free; // numbers of stacks of the profile
};

// Collects the pair of stacks of each freed object, in any order.  {0} is empty;
// hp_vec_done(&all) frees it.
struct hp_recent_pairs {
    HP_VEC(uint64_t) all; // allocating stack << 32 | freeing stack
};

// hp_recent_pairs_most() sorts `pairs` and returns the most frequent pair.
void hp_recent_pairs_add(struct hp_recent_pairs *pairs, uint32_t alloc, uint32_t freed);
struct hp_recent_pair hp_recent_pairs_most(struct hp_recent_pairs *pairs);

// Find the visible nodes of a stack of the profile, leaf first, in frames->nodes.
// Returns their number; 0: filters leave nothing of the stack.
size_t hp_recent_stack(const struct hp_view *view, uint32_t stack,
                       struct hp_visible_frames *frames);

// Write the names of a stack, root first, as in "main;f;g".  Replaces `text`, which ends
// in a NUL.
void hp_recent_stack_text(const struct hp_view *view, uint32_t stack,
                          struct hp_buffer *text);

#endif
