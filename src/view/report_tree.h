// A profile as a tree of calls: from the roots, or from the functions that allocate up to their
// callers.
#ifndef HP_VIEW_REPORT_TREE_H
#define HP_VIEW_REPORT_TREE_H

#include "view/view.h"

// Nodes one below the other that the same stacks come by: up to where these part, or one ends.
struct hp_tree_branch {
    uint32_t parent;     // the branch that it begins below, or HP_NO_PARENT
    uint32_t begin, end; // depths of its nodes
    uint32_t stack;      // one that comes by
    hp_fixed cum;        // of the stacks that come by
    hp_fixed flat;       // of those that end at its last node
    uint32_t children;   // branches that begin below it
    uint32_t kept;       // nodes that are, from its first on
    uint32_t error;      // number of that of cum
};

struct hp_tree_node {
    hp_node_id name;
    uint32_t parent; // in tree->nodes, or HP_NO_PARENT
    uint32_t depth;  // 0 for those without
    uint32_t shown;  // children that are
    uint32_t branch;
    // Frames that a line stands for where people read it, this node the first of them, each below
    // the one before; 0 if the line is that of a node above.
    uint32_t run;
    bool is_last; // of the children of its parent, or of the roots
};

// What a view of this kind has beside its rows: of all nodes the largest, and what is above
// them.
struct hp_tree {
    // Each before its children, which are ordered by cum, then by name.
    HP_VEC(struct hp_tree_node) nodes;
    HP_VEC(struct hp_tree_branch) branches;
    struct hp_error
        *errors;          // of branches with nodes that are kept; NULL if there are none
    size_t roots;         // nodes without a parent
    size_t hidden;        // nodes that are not there
    hp_fixed hidden_flat; // theirs
    hp_fixed hidden_most; // the most that any of them holds
};

// What the stacks hold that come by a node, and those that end there.
struct hp_amount hp_tree_cum(const struct hp_tree *tree, const struct hp_tree_node *node);
hp_fixed hp_tree_flat(const struct hp_tree *tree, const struct hp_tree_node *node);

#endif
