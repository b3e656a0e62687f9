// A profile as a tree of calls: from the roots, or from the functions that allocate up to their
// callers.
#ifndef HP_VIEW_REPORT_TREE_H
#define HP_VIEW_REPORT_TREE_H

#include "view/view.h"

struct hp_tree_node {
    hp_node_id name;
    uint32_t parent;       // in tree->nodes, or HP_NO_PARENT
    uint32_t depth;        // 0 for those without
    uint32_t shown;        // children that are
    bool is_last;          // of the children of its parent, or of the roots
    hp_fixed cum;          // of the stacks that come by here
    hp_fixed flat;         // of those that end here
    struct hp_error error; // of cum, where the profile has it
    // Frames that a line stands for where people read it, this node the first of them, each below
    // the one before; 0 if the line is that of a node above.
    uint32_t run;
};

// What a view of this kind has beside its rows: of all nodes the largest, and what is above
// them.
struct hp_tree {
    // Each before its children, which are ordered by cum, then by name.
    HP_VEC(struct hp_tree_node) nodes;
    size_t roots;         // nodes without a parent
    size_t hidden;        // nodes that are not there
    hp_fixed hidden_flat; // theirs
    hp_fixed hidden_most; // the most that any of them holds
};

#endif
