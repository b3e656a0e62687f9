// The calls of a stack that reports show: the one place where the allocator's own frames and
// what filters leave out are dropped.
#ifndef HP_VIEW_WALK_H
#define HP_VIEW_WALK_H

#include "view/naming.h"

// One stack, leaf first.
struct hp_walk {
    HP_VEC(hp_node_id) nodes;
    HP_VEC(uint32_t) calls; // only of hp_walk_calls()
    bool truncated;         // the last one is no root
};

void hp_walk_done(struct hp_walk *walk);

// Without the allocator's own frames, which lead from the leaf, unless all were asked for, and
// without what filters leave out.  False if they leave nothing; else it is not empty.
bool hp_walk_nodes(const struct hp_naming *naming, const struct hp_stack *stack,
                   struct hp_walk *walk);

// The same as numbers of naming->calls.
bool hp_walk_calls(const struct hp_naming *naming, const struct hp_stack *stack,
                   struct hp_walk *walk);

// Whether any filters are at work.
bool hp_walk_is_filtered(const struct hp_profile *profile);

#endif
