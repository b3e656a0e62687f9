// Functions that were picked, with who calls them and whom they call.
#ifndef HP_VIEW_NEIGHBORS_H
#define HP_VIEW_NEIGHBORS_H

#include "view/table.h"

struct hp_neighbor {
    hp_node_id node;
    hp_fixed value; // of the stacks in which the one calls the other, each once
    struct hp_error error;
};

struct hp_neighborhood {
    struct hp_row row;
    size_t first, callers, callees; // in `all`: the callers, then the callees
};

struct hp_neighbors {
    struct hp_table table;
    HP_VEC(struct hp_neighborhood)
    rows;                           // of those that were picked, as the table sorts them
    HP_VEC(struct hp_neighbor) all; // each group by value, then by name
};

// A table with what calls what.  A call of a function by itself is none, as in pprof.
void hp_neighbors_init(struct hp_neighbors *neighbors, const struct hp_profile *profile,
                       const struct hp_report_options *options);
void hp_neighbors_done(struct hp_neighbors *neighbors);

#endif
