// A profile as a tree of calls: from the roots to the functions that allocate, or
// inverted: from these functions to their callers.
#ifndef HP_VIEW_REPORT_TREE_H
#define HP_VIEW_REPORT_TREE_H

#include "view/view.h"

// A chain of nodes that the same stacks pass, each the only child of the one above.  It
// ends where the stacks divide, or where one of them ends.
struct hp_tree_branch {
    uint32_t parent;     // branch at whose end it begins; HP_NO_PARENT: a root
    uint32_t begin, end; // depths of its nodes: begin to end - 1
    uint32_t stack;      // some stack that passes the whole branch
    hp_fixed cum;        // sum of the stacks that pass it
    hp_fixed flat;       // sum of the stacks that end at its last node
    uint32_t children;   // number of branches whose parent it is
    uint32_t kept;       // number of its nodes that are shown, from the first one
    uint32_t error;      // place of the error of cum in tree->errors
};

// A node that is shown.
struct hp_tree_node {
    hp_node_id name;
    uint32_t parent; // number in tree->nodes; HP_NO_PARENT: a root
    uint32_t depth;  // 0 for a root
    uint32_t shown;  // number of its children that are shown
    uint32_t branch; // number in tree->branches
    // Number of frames in the line of text that begins with this node, each below the one
    // before.  They have one value, or are calls of a function to itself; 0: the node is in the line of a node above.
    uint32_t run;
    bool is_last; // whether it is the last child of its parent, or the last root
};

// The data of a tree report, in view->extra: the largest nodes, and all nodes above them.
struct hp_tree {
    // A parent comes before its children, which are sorted by cum, then by name.
    HP_VEC(struct hp_tree_node) nodes;
    // All branches, shown or not.
    HP_VEC(struct hp_tree_branch) branches;
    // One for each branch with shown nodes, and one for each root; see branch.error.
    // Owned.
    struct hp_error *errors;
    size_t roots;         // number of nodes without a parent
    size_t hidden;        // number of nodes that are not shown
    hp_fixed hidden_flat; // sum of their flat values
    hp_fixed hidden_most; // largest absolute cum of any of them
};

// Sum of the stacks that pass a node, with its error; and sum of the stacks that end
// there.
struct hp_amount hp_tree_cum(const struct hp_tree *tree, const struct hp_tree_node *node);
hp_fixed hp_tree_flat(const struct hp_tree *tree, const struct hp_tree_node *node);

#endif
