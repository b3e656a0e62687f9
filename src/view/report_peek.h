// Functions that were selected, with who calls them and whom they call.
#ifndef HP_VIEW_REPORT_PEEK_H
#define HP_VIEW_REPORT_PEEK_H

#include "view/top.h"

// Of one function another, one of which was selected.
struct hp_neighbor_call {
    hp_node_id callee, caller;
    uint32_t seen;  // the last stack that it was counted in, and one
    uint32_t last;  // of its places in `stacks`, and one; 0: none
    hp_fixed value; // of the stacks in which the one calls the other, each once
};

// A stack that a call was counted in.
struct hp_neighbor_stack {
    uint32_t stack;
    uint32_t next; // place of that call, and one; 0: none
};

struct hp_neighbor {
    hp_node_id node;
    uint32_t call;
};

struct hp_neighborhood {
    size_t first, callers, callees; // in `all`: the callers, then the callees
};

// What a view of this kind has beside its rows.  A call of a function by itself is none, as in
// pprof.
struct hp_neighbors {
    struct hp_top top;
    HP_VEC(struct hp_neighborhood) areas; // of each row
    struct hp_neighbor *all;              // each group by value, then by name
    HP_VEC(struct hp_neighbor_call) calls;
    HP_VEC(struct hp_neighbor_stack) stacks; // where errors are known
    HP_VEC(struct hp_error) errors; // of calls in many stacks, once they were asked for
    HP_VEC(uint32_t) error_of;      // of each call its place there, and one
    // All are shown: `last` of a call is its first stack, and one; of several stacks there are errors.
    bool adds_up;
};

hp_fixed hp_neighbor_value(const struct hp_view *view,
                           const struct hp_neighbor *neighbor);

// The same with its error, which is added up now: few calls are shown.  Of all threads one may ask.
struct hp_amount hp_neighbor_amount(const struct hp_view *view,
                                    const struct hp_neighbor *neighbor,
                                    struct hp_error *error);

// How many of the callers, or of the callees, of a row are shown.
size_t hp_neighbors_shown(const struct hp_view *view, size_t row, bool are_callees);

#endif
