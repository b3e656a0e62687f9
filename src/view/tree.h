// A profile as a tree of calls: from the roots, or from the functions that allocate up to their
// callers.
#ifndef HP_VIEW_TREE_H
#define HP_VIEW_TREE_H

#include "view/naming.h"

#define HP_NO_PARENT UINT32_MAX

struct hp_tree_node {
    hp_node_id name;
    uint32_t parent;       // in tree->nodes, or HP_NO_PARENT
    uint32_t depth;        // 0 for those without
    uint32_t shown;        // children that are
    bool is_last;          // of the children of its parent, or of the roots
    hp_fixed cum;          // of the stacks that come by here
    hp_fixed flat;         // of those that end here
    struct hp_error error; // of cum, where the profile has it
};

struct hp_tree {
    struct hp_naming naming;
    // Each before its children, which are ordered by cum, then by name.
    HP_VEC(struct hp_tree_node) nodes;
    size_t roots;   // nodes without a parent
    hp_fixed total; // of the profile
    size_t hidden;  // nodes that are not there
};

// options->metric, by, all_frames, no_inlines, invert, min_share and limit are looked at: of
// all nodes the largest are kept, and what is above them.
void hp_tree_init(struct hp_tree *tree, const struct hp_profile *profile,
                  const struct hp_report_options *options);
void hp_tree_done(struct hp_tree *tree);

#endif
