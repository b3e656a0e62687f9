// Calls between some nodes of a view.
#ifndef HP_VIEW_EDGES_H
#define HP_VIEW_EDGES_H

#include "view/stacks.h"

struct hp_edge {
    hp_node_id caller, callee;
    hp_fixed value;  // of the stacks with such a call, each once
    bool is_through; // there are others in between, which are not shown
};

struct hp_edges {
    HP_VEC(struct hp_edge) edges; // by caller and callee
};

// Of stacks of names and their values of a metric; is_shown[node].
void hp_edges_init(struct hp_edges *edges, const struct hp_stacks *stacks,
                   enum hp_metric metric, const bool *is_shown);
void hp_edges_done(struct hp_edges *edges);

#endif
