// Functions that a pattern selected, each with its callers and its callees.
#ifndef HP_VIEW_REPORT_PEEK_H
#define HP_VIEW_REPORT_PEEK_H

#include "view/top.h"

// All calls of one function by another one; the pattern selects at least one of the two.
struct hp_neighbor_call {
    hp_node_id callee, caller;
    uint32_t seen; // number of the last stack that was added to `value`, + 1
    // Index + 1 in neighbors->stacks of the element that was added last, the head of the
    // list of the call's stacks; 0: none.  With adds_up set: the call's first stack, + 1.
    uint32_t last;
    hp_fixed value; // sum of the stacks that contain the call, each added once
};

// A stack that contains a call: an element of a linked list.
struct hp_neighbor_stack {
    uint32_t stack;
    uint32_t next; // index + 1 of the next element of the same call; 0: the end
};

// A caller or callee of a row.
struct hp_neighbor {
    hp_node_id node;
    uint32_t call; // number in neighbors->calls
};

// The callers and callees of one row.
struct hp_neighborhood {
    // `first` is the index in neighbors->all of the first caller; the callees follow the
    // callers.
    size_t first, callers, callees;
};

// The data of a peek report, in view->extra.  Calls of a function by itself are ignored,
// as in pprof.
struct hp_neighbors {
    struct hp_top top;                    // flat and cum of all nodes
    HP_VEC(struct hp_neighborhood) areas; // one for each row
    // The callers, then the callees of each row, each by value, then by name.  Owned.
    struct hp_neighbor *all;
    HP_VEC(struct hp_neighbor_call) calls;
    // The stacks of all calls, as linked lists; empty if errors are not known.
    HP_VEC(struct hp_neighbor_stack) stacks;
    HP_VEC(struct hp_error) errors; // errors of calls in several stacks, once computed
    // For each call its place in `errors`, + 1; 0: not computed.
    HP_VEC(uint32_t) error_of;
    // All rows are shown, so that errors are added up when calls are found, and `stacks`
    // stays empty.  False: they are added up on demand, from `stacks`.
    bool adds_up;
};

// Sum of the stacks in which a row's function calls the neighbor, or is called by it.
hp_fixed hp_neighbor_value(const struct hp_view *view,
                           const struct hp_neighbor *neighbor);

// Return the sum of the stacks in which a row's function calls the neighbor, or is called
// by it, with its error, which is written to *error.  The error is added up on demand, as
// few calls are shown.  Not thread-safe: only one thread at a time may call this
// function.
struct hp_amount hp_neighbor_amount(const struct hp_view *view,
                                    const struct hp_neighbor *neighbor,
                                    struct hp_error *error);

// Number of the callers, or of the callees, of a row that are shown.
size_t hp_neighbors_shown(const struct hp_view *view, size_t row, bool are_callees);

// Whether the report is on one function that allocates and has callers, so that it may be a
// wrapper of malloc.
bool hp_neighbors_may_wrap(const struct hp_view *view);

#endif
