// Stacks in the order of what they pass, from the root or from the leaf.
#ifndef HP_VIEW_STACK_ORDER_H
#define HP_VIEW_STACK_ORDER_H

#include "base/strtab.h"

struct hp_stack_key {
    const uint32_t *at; // leaf first: nodes of the naming, places or sites; at least one
    uint32_t depth;
    hp_string tags; // of the profile's tag_sets; of sites a number of a facet; else 0
    bool truncated; // the last is no root; of addresses a place says so
};

// A stack that is truncated has one step more behind its last.
struct hp_stack_order {
    const struct hp_stack_key *stacks;
    const uint32_t *rank; // of each node; NULL: numbers are ranks
    uint32_t truncated;   // the rank of the step that stands for what was cut off
    bool from_leaf;
};

static inline uint32_t hp_stack_steps(const struct hp_stack_key *stack) {
    return stack->depth + stack->truncated;
}

// The rank of step i, which there is.
static inline uint32_t hp_stack_step(const struct hp_stack_order *order,
                                     const struct hp_stack_key *stack, uint32_t i) {
    uint32_t place = order->from_leaf ? i : hp_stack_steps(stack) - 1 - i;
    if (place == stack->depth) {
        return order->truncated;
    }
    return order->rank ? order->rank[stack->at[place]] : stack->at[place];
}

// The numbers of so many stacks, in order: one that ends before what it has in common with another
// goes on comes first; of the same steps by tags, then by number.
void hp_stack_order_sort(const struct hp_stack_order *order, uint32_t *numbers,
                         size_t count);

#endif
