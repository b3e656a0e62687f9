// Which nodes each stack of a profile counts in: its leaf alone (flat), or every node that it
// passes (cum), each once; none if filters leave nothing of it.
#ifndef HP_VIEW_MEMBERS_H
#define HP_VIEW_MEMBERS_H

#include "view/naming.h"

// Those of stack s are nodes[first[s]] up to nodes[first[s + 1]].
struct hp_members {
    HP_VEC(size_t) first;
    HP_VEC(hp_node_id) nodes;
    size_t node_count; // of the naming
};

void hp_members_init(struct hp_members *members, const struct hp_naming *naming,
                     bool cum);
void hp_members_done(struct hp_members *members);

// Whether filters leave anything of a stack.
static inline bool hp_members_has(const struct hp_members *members, size_t stack) {
    return members->first.at[stack] < members->first.at[stack + 1];
}

#endif
