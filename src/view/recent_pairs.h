// Which stack allocated what which other freed.
#ifndef HP_VIEW_RECENT_PAIRS_H
#define HP_VIEW_RECENT_PAIRS_H

#include "view/view.h"
#include "view/visible_frames.h"

// The two that most objects of a row have in common; of several the first that sampled one.
struct hp_recent_pair {
    size_t count;         // of objects; 0: none was freed
    uint32_t alloc, free; // stacks of the profile
};

// Of objects by the numbers of their stacks, in whatever order; `pairs` is sorted.
struct hp_recent_pairs {
    HP_VEC(uint64_t) all;
};

void hp_recent_pairs_add(struct hp_recent_pairs *pairs, uint32_t alloc, uint32_t freed);
struct hp_recent_pair hp_recent_pairs_most(struct hp_recent_pairs *pairs);

// The nodes of a stack, leaf first, as filters leave them; until `frames` is used again.
size_t hp_recent_stack(const struct hp_view *view, uint32_t stack,
                       struct hp_visible_frames *frames);

// "main;f;g", from the root; `text` ends in a NUL.
void hp_recent_stack_text(const struct hp_view *view, uint32_t stack,
                          struct hp_buffer *text);

#endif
