// Functions that were selected, with who calls them and whom they call.
#ifndef HP_VIEW_REPORT_PEEK_H
#define HP_VIEW_REPORT_PEEK_H

#include "view/top.h"

struct hp_neighbor {
    hp_node_id node;
    hp_fixed value; // of the stacks in which the one calls the other, each once
    struct hp_error error;
};

struct hp_neighborhood {
    size_t first, callers, callees; // in `all`: the callers, then the callees
};

// What a view of this kind has beside its rows.  A call of a function by itself is none, as in
// pprof.
struct hp_neighbors {
    struct hp_top top;
    HP_VEC(struct hp_neighborhood) areas; // of each row
    HP_VEC(struct hp_neighbor) all;       // each group by value, then by name
};

// How many of the callers, or of the callees, of a row are shown.
size_t hp_neighbors_shown(const struct hp_view *view, size_t row, bool are_callees);

#endif
