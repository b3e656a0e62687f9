// The calls of a stack that reports show.  This is the only place that drops calls which
// a view folds and calls which filters hide.
#ifndef HP_VIEW_VISIBLE_FRAMES_H
#define HP_VIEW_VISIBLE_FRAMES_H

#include "view/naming.h"

// The visible part of one stack, leaf first, and buffers that are reused for the next
// stack.  {0} is ready for use.
struct hp_visible_frames {
    // The result of hp_visible_nodes().
    HP_VEC(hp_node_id) nodes;
    // By node, all 0 at first: the number of the last stack that had it, so that each
    // node is listed once.  NULL: a node is listed as often as it is called.
    uint32_t *seen;
    uint32_t number;        // number of the stack; each stack has the next one
    HP_VEC(uint32_t) calls; // result of hp_visible_calls() and hp_all_calls()
    bool truncated;         // callers beyond the last element were cut off
};

// Free the buffers, except `seen`.
void hp_visible_frames_done(struct hp_visible_frames *frames);

// List the visible nodes of a stack: without folded calls, at any depth, and without
// calls that filters hide.  Returns false if filters leave nothing; else the list is not
// empty.
bool hp_visible_nodes(const struct hp_naming *naming, const struct hp_stack *stack,
                      struct hp_visible_frames *frames);

// List the calls of these nodes, as numbers of naming->calls, in frames->calls.  Returns
// false if filters leave nothing.
bool hp_visible_calls(const struct hp_naming *naming, const struct hp_stack *stack,
                      struct hp_visible_frames *frames);

// List all calls, folded and hidden ones too.  Sets `truncated` if the node that
// represents the frames that were cut off is shown.  Returns how many calls, from the
// leaf, belong to the part that filters show; 0 if they show nothing of the stack,
// whatever is folded.
size_t hp_all_calls(const struct hp_naming *naming, const struct hp_stack *stack,
                    struct hp_visible_frames *frames);

// Calls that the value of a stack is attributed to; filters may hide them.  `call`: with
// all calls folded that the view folds; `allocating`: if only calls of the allocator were
// folded.
struct hp_charged {
    uint32_t call, allocating;
};

struct hp_charged hp_charged_call(const struct hp_naming *naming,
                                  const struct hp_stack *stack);

// For each stack of the profile, whether filters leave any of it.  The caller frees the
// array.
bool *hp_visible_stacks(const struct hp_naming *naming);

// The nodes of each stack: its leaf only (flat), or every node that it passes (cum), each
// once.  There are none if filters leave nothing of the stack.  The nodes of stack s are
// nodes[first[s]] to nodes[first[s + 1] - 1].
struct hp_members {
    HP_VEC(size_t) first;
    HP_VEC(hp_node_id) nodes;
    size_t node_count; // number of nodes of the naming
};

void hp_members_init(struct hp_members *members, const struct hp_naming *naming,
                     bool cum);
void hp_members_done(struct hp_members *members);

// Whether filters leave any of a stack.
static inline bool hp_members_has(const struct hp_members *members, size_t stack) {
    return members->first.at[stack] < members->first.at[stack + 1];
}

#endif
