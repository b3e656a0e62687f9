#include "view/edges.h"

#include "base/hash.h"

// Identity of an edge: the caller and the callee.
struct edge_key {
    hp_node_id caller, callee;
};

// State while the calls between shown nodes (edges of a graph) are found.
struct edge_builder {
    struct hp_edges *edges;
    struct hp_index index;
    HP_VEC(size_t) seen; // for each edge: number of the last stack added to it, + 1
};

// Add a call in a stack to its edge, whose value includes each stack once.  `is_through`:
// nodes that are not shown are in between.
static void add_call(struct edge_builder *b, struct edge_key key, bool is_through,
                     size_t stack, hp_fixed value) {
    uint32_t number = hp_index_of(&b->index, &b->edges->edges, &key, sizeof key);
    if (number == b->edges->edges.count) {
        hp_vec_push(&b->edges->edges,
                    ((struct hp_edge){key.caller, key.callee, 0, true}));
        hp_vec_push(&b->seen, 0);
    }
    struct hp_edge *edge = &b->edges->edges.at[number];
    edge->is_through &= is_through;
    if (b->seen.at[number] != stack + 1) {
        b->seen.at[number] = stack + 1;
        edge->value += value;
    }
}

// Add the calls between shown nodes of a stack, from the root to the leaf.
static void add_stack(struct edge_builder *b, const struct hp_stack_key *stack,
                      size_t number, hp_fixed value, const bool *is_shown) {
    hp_node_id caller = {0};
    uint32_t caller_depth = 0;
    for (uint32_t i = stack->depth; i-- > 0;) {
        hp_node_id node = {stack->at[i]};
        if (is_shown[node.n]) {
            if (caller.n) {
                add_call(b, (struct edge_key){caller, node}, caller_depth != i + 1,
                         number, value);
            }
            caller = node;
            caller_depth = i;
        }
    }
}

static int compare(const void *left, const void *right) {
    const struct hp_edge *a = left, *b = right;
    if (a->caller.n != b->caller.n) {
        return a->caller.n < b->caller.n ? -1 : 1;
    }
    return (a->callee.n > b->callee.n) - (a->callee.n < b->callee.n);
}

void hp_edges_init(struct hp_edges *edges, const struct hp_stacks *stacks,
                   enum hp_metric metric, const bool *is_shown) {
    *edges = (struct hp_edges){0};
    struct edge_builder b = {.edges = edges};
    struct hp_stack_sums sums;
    hp_stack_sums_init(&sums, stacks, false);
    hp_stack_sums_add(&sums, stacks, (struct hp_selection){HP_OF_ALL, 0});
    for (size_t i = 0; i < stacks->all.count; i++) {
        add_stack(&b, &stacks->all.at[i], i, sums.values[i].of[metric], is_shown);
    }
    hp_stack_sums_done(&sums);
    hp_vec_sort(&edges->edges, compare);
    hp_index_drop(&b.index);
    hp_vec_done(&b.seen);
}

void hp_edges_done(struct hp_edges *edges) {
    hp_vec_done(&edges->edges);
}
