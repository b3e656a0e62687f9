// The order of stacks by their names, from the root or from the leaf.
#ifndef HP_VIEW_STACK_ORDER_H
#define HP_VIEW_STACK_ORDER_H

#include "base/strtab.h"

// A distinct stack.  Its steps are its elements and, if it is truncated, one step for the
// frames that were cut off.
struct hp_stack_key {
    const uint32_t *at; // leaf first: nodes of the naming, places or sites; at least one
    uint32_t depth;     // number of elements
    hp_string tags; // in the profile's tag_sets; for sites a value of the facet; else 0
    // Its last element is no root; with addresses a place shows this instead.
    bool truncated;
};

// How to compare stacks.  A truncated stack has one more step after its last element.
struct hp_stack_order {
    const struct hp_stack_key *stacks;
    const uint32_t *rank; // by node; NULL: the numbers of elements are ranks
    uint32_t truncated;   // rank of the step that represents the frames that were cut off
    bool from_leaf;       // compare from the leaf; false: from the root
};

// Number of steps of a stack.
static inline uint32_t hp_stack_steps(const struct hp_stack_key *stack) {
    return stack->depth + stack->truncated;
}

// The rank of step i, which must be below hp_stack_steps().
static inline uint32_t hp_stack_step(const struct hp_stack_order *order,
                                     const struct hp_stack_key *stack, uint32_t i) {
    uint32_t place = order->from_leaf ? i : hp_stack_steps(stack) - 1 - i;
    if (place == stack->depth) {
        return order->truncated;
    }
    return order->rank ? order->rank[stack->at[place]] : stack->at[place];
}

// Sort `count` stacks and write their numbers in this order.  A stack that is the
// beginning of another one comes first.  Stacks with equal steps are sorted by tags, then
// by number.
void hp_stack_order_sort(const struct hp_stack_order *order, uint32_t *numbers,
                         size_t count);

#endif
