// The calls of a stack that reports show: the one place where what a view folds and what
// filters leave out are dropped.
#ifndef HP_VIEW_VISIBLE_FRAMES_H
#define HP_VIEW_VISIBLE_FRAMES_H

#include "view/naming.h"

// Of one stack, leaf first.
struct hp_visible_frames {
    HP_VEC(hp_node_id) nodes;
    // Where a node is to come once only: of each the number of the last stack that had it.
    uint32_t *seen;         // zeros at first; NULL: as often as it is called
    uint32_t number;        // of the stack; each has the next one
    HP_VEC(uint32_t) calls; // only of hp_visible_calls()
    bool truncated;         // the last one is no root
};

void hp_visible_frames_done(struct hp_visible_frames *frames);

// Without what is folded, wherever it stands, and what filters leave out.  False if these leave
// nothing; else it is not empty.
bool hp_visible_nodes(const struct hp_naming *naming, const struct hp_stack *stack,
                      struct hp_visible_frames *frames);

// The same as numbers of naming->calls.
bool hp_visible_calls(const struct hp_naming *naming, const struct hp_stack *stack,
                      struct hp_visible_frames *frames);

// All calls, folded or hidden or not; `truncated` if what stands for those that were cut off is
// shown.  How many of them, from the leaf on, belong to what filters show; 0 if that is nothing,
// whatever is folded.
size_t hp_all_calls(const struct hp_naming *naming, const struct hp_stack *stack,
                    struct hp_visible_frames *frames);

// The call that is charged with what a stack holds, whatever filters hide, and the one that it
// would be if the allocator's calls alone were folded.
struct hp_charged {
    uint32_t call, allocating;
};

struct hp_charged hp_charged_call(const struct hp_naming *naming,
                                  const struct hp_stack *stack);

// Of each stack of the profile whether filters leave anything of it; to be freed.
bool *hp_visible_stacks(const struct hp_naming *naming);

// Which nodes each stack counts in: its leaf alone (flat), or every node that it passes (cum),
// each once; none if filters leave nothing of it.  Those of stack s are nodes[first[s]] up to
// nodes[first[s + 1]].
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
