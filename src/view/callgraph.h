// A profile as functions and the calls between them, for formats that tell no stacks.
//
// A function is a name in one file of one module.  Where it recurs within a stack, each further
// occurrence is a function of its own, of the next level: so that what a function holds is what
// it has itself and what its calls have, and nothing is counted twice.
#ifndef HP_VIEW_CALLGRAPH_H
#define HP_VIEW_CALLGRAPH_H

#include "view/stacks.h"

struct hp_callgraph_function {
    hp_module_id module;
    hp_string file;  // of the profile; "" if unknown
    hp_node_id name; // of the stacks' naming
    uint32_t level;  // 1 for the first in a stack from the root
};

struct hp_callgraph_costs {
    hp_int128 of[HP_METRICS]; // whatever is to be added up
    hp_int128 calls;
};

// What one line of a function allocates itself, or by calls of one other.
struct hp_callgraph_row {
    uint32_t function, callee; // numbers in `functions`; 0 is none
    uint32_t line;             // 0 if unknown
    struct hp_callgraph_costs costs;
};

struct hp_callgraph {
    HP_VEC(struct hp_callgraph_function) functions; // [0] is none
    HP_VEC(struct hp_callgraph_row) rows;           // by function, callee and line
};

// Of addresses; `costs` are those of the stacks, and those without any are left out.
void hp_callgraph_init(struct hp_callgraph *graph, const struct hp_stacks *stacks,
                       const struct hp_callgraph_costs *costs);
void hp_callgraph_done(struct hp_callgraph *graph);

#endif
