// Calls between some nodes of a profile.
#ifndef HP_VIEW_EDGES_H
#define HP_VIEW_EDGES_H

#include "view/traces.h"

struct hp_edge {
    hp_node_id caller, callee;
    hp_fixed value;  // of the traces with such a call, each once
    bool is_through; // there are others in between, which are not shown
};

struct hp_edges {
    HP_VEC(struct hp_edge) edges; // by caller and callee
};

// is_shown[node]; of the values of a metric.
void hp_edges_init(struct hp_edges *edges, const struct hp_traces *traces,
                   enum hp_metric metric, const bool *is_shown);
void hp_edges_done(struct hp_edges *edges);

#endif
