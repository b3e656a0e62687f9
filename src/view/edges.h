// Calls between the nodes of a view that a call graph shows.
//
// An edge leads from a shown caller to the next shown node that it calls, directly or
// through nodes that are not shown.
#ifndef HP_VIEW_EDGES_H
#define HP_VIEW_EDGES_H

#include "view/stacks.h"

// A call from one shown node to another.
struct hp_edge {
    hp_node_id caller, callee;
    hp_fixed value;  // sum of the stacks with this call; a stack is added once
    bool is_through; // in every stack, nodes that are not shown are in between
};

// All calls between nodes of a graph (edges); {0} has none.
struct hp_edges {
    HP_VEC(struct hp_edge) edges; // sorted by caller, then by callee
};

// Find the edges in stacks of names (HP_STACKS_OF_NAMES) and sum their values of
// `metric`.  `is_shown`, an array by node, says which nodes the graph shows.  Free with
// hp_edges_done().
void hp_edges_init(struct hp_edges *edges, const struct hp_stacks *stacks,
                   enum hp_metric metric, const bool *is_shown);
void hp_edges_done(struct hp_edges *edges);

#endif
