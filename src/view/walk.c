// Filters are pprof's.  Of the calls of a stack, leaf first and without the allocator's:
//
//     ignore      any that matches:  nothing is left
//     focus       none that matches: nothing is left
//     hide, show  is_hidden of each call, which has what both say of it
//     show-from   what is behind the last shown call that matches is cut; none: nothing is left
#include "view/walk.h"

enum {
    JEMALLOC_DEPTH = 128, // PROF_BT_MAX_DEFAULT
};

bool hp_walk_is_filtered(const struct hp_profile *profile) {
    return (profile->marks.rules & ~(unsigned)hp_mark_of(HP_PICK)) != 0;
}

static bool has_rule(const struct hp_naming *naming, enum hp_filter_rule rule) {
    return (naming->profile->marks.rules & hp_mark_of(rule)) != 0;
}

// True if jemalloc cut the stack at its default of 128 frames, so that its last frame is no
// root.
static bool is_truncated(const struct hp_stack *stack) {
    return stack->depth == JEMALLOC_DEPTH;
}

// Step over the allocator's own calls, from the leaf on: *frame of the stack's frames and
// *call of the naming's calls are the first that are not.  All are if *frame is the depth.
static void skip_allocator(const struct hp_naming *naming, const struct hp_stack *stack,
                           uint32_t *frame, uint32_t *call) {
    for (*frame = 0; *frame < stack->depth; ++*frame) {
        const uint32_t *first = &naming->first_call.at[stack->frames[*frame].n];
        for (*call = first[0]; *call < first[1]; ++*call) {
            if (!naming->calls.at[*call].is_allocator) {
                return;
            }
        }
    }
}

// Of a stack of the allocator's frames alone the root is shown.
static uint32_t last_call(const struct hp_naming *naming, const struct hp_stack *stack) {
    if (stack->depth == 0) {
        return naming->empty_call;
    }
    uint32_t frame = stack->frames[stack->depth - 1].n;
    return naming->first_call.at[frame + 1] - 1;
}

static void push_nodes(const struct hp_naming *naming, struct hp_walk *walk,
                       uint32_t call, uint32_t end) {
    hp_vec_reserve(&walk->nodes, end - call);
    for (; call < end; call++) {
        walk->nodes.at[walk->nodes.count++] = naming->calls.at[call].node;
    }
}

static void walk_all(const struct hp_naming *naming, const struct hp_stack *stack,
                     struct hp_walk *walk) {
    uint32_t frame = 0, call = 0;
    if (!naming->all_frames) {
        skip_allocator(naming, stack, &frame, &call);
        if (frame < stack->depth) { // some calls of this frame may have been dropped
            uint32_t id = stack->frames[frame++].n;
            push_nodes(naming, walk, call, naming->first_call.at[id + 1]);
        }
    }
    hp_vec_reserve(&walk->nodes, stack->depth - frame);
    for (; frame < stack->depth; frame++) {
        uint32_t id = stack->frames[frame].n;
        hp_node_id only = naming->only.at[id];
        if (only.n) {
            walk->nodes.at[walk->nodes.count++] = only;
        } else {
            const uint32_t *first = &naming->first_call.at[id];
            push_nodes(naming, walk, first[0], first[1]);
            hp_vec_reserve(&walk->nodes, stack->depth - frame);
        }
    }
    if (walk->nodes.count == 0) {
        hp_vec_push(&walk->nodes, naming->calls.at[last_call(naming, stack)].node);
    }
}

static void push_calls(struct hp_walk *walk, uint32_t call, uint32_t end) {
    hp_vec_reserve(&walk->calls, end - call);
    for (; call < end; call++) {
        walk->calls.at[walk->calls.count++] = call;
    }
}

static void walk_all_calls(const struct hp_naming *naming, const struct hp_stack *stack,
                           struct hp_walk *walk) {
    const uint32_t *first_call = naming->first_call.at;
    uint32_t frame = 0, call = 0;
    if (!naming->all_frames) {
        skip_allocator(naming, stack, &frame, &call);
    } else if (stack->depth > 0) {
        call = first_call[stack->frames[0].n];
    }
    for (; frame < stack->depth; frame++) {
        push_calls(walk, call, first_call[stack->frames[frame].n + 1]);
        if (frame + 1 < stack->depth) {
            call = first_call[stack->frames[frame + 1].n];
        }
    }
    if (walk->calls.count == 0) {
        hp_vec_push(&walk->calls, last_call(naming, stack));
    }
    if (walk->truncated) {
        hp_vec_push(&walk->calls, naming->truncated_call);
    }
}

// Where the part that is shown ends: behind the last of its calls.
static size_t end_shown(const struct hp_naming *naming, const struct hp_walk *walk) {
    size_t end = walk->calls.count;
    for (; has_rule(naming, HP_SHOW_FROM) && end > 0; end--) {
        const struct hp_call *call = &naming->calls.at[walk->calls.at[end - 1]];
        if (!call->is_hidden && (call->marks & hp_mark_of(HP_SHOW_FROM)) != 0) {
            break;
        }
    }
    return end;
}

// Focus and ignore look at all calls, the others at what is left by hide and show.
static bool filter(const struct hp_naming *naming, struct hp_walk *walk) {
    unsigned marks = 0;
    size_t end = end_shown(naming, walk), left = 0;
    for (size_t i = 0; i < walk->calls.count; i++) {
        marks |= naming->calls.at[walk->calls.at[i]].marks;
    }
    if ((marks & hp_mark_of(HP_IGNORE)) != 0 ||
        (has_rule(naming, HP_FOCUS) && (marks & hp_mark_of(HP_FOCUS)) == 0)) {
        return false;
    }
    for (size_t i = 0; i < end; i++) {
        if (!naming->calls.at[walk->calls.at[i]].is_hidden) {
            walk->calls.at[left++] = walk->calls.at[i];
        }
    }
    walk->calls.count = left;
    return true;
}

bool hp_walk_calls(const struct hp_naming *naming, const struct hp_stack *stack,
                   struct hp_walk *walk) {
    walk->calls.count = 0;
    walk->truncated = is_truncated(stack);
    walk_all_calls(naming, stack, walk);
    if (hp_walk_is_filtered(naming->profile) && !filter(naming, walk)) {
        return false;
    }
    size_t count = walk->calls.count;
    walk->truncated = count > 0 && walk->calls.at[count - 1] == naming->truncated_call;
    walk->calls.count -= walk->truncated;
    return walk->calls.count > 0;
}

bool hp_walk_nodes(const struct hp_naming *naming, const struct hp_stack *stack,
                   struct hp_walk *walk) {
    walk->nodes.count = 0;
    walk->truncated = is_truncated(stack);
    if (!hp_walk_is_filtered(naming->profile)) {
        walk_all(naming, stack, walk);
        return true;
    }
    bool is_left = hp_walk_calls(naming, stack, walk);
    for (size_t i = 0; is_left && i < walk->calls.count; i++) {
        hp_vec_push(&walk->nodes, naming->calls.at[walk->calls.at[i]].node);
    }
    return is_left;
}

void hp_walk_done(struct hp_walk *walk) {
    hp_vec_done(&walk->nodes);
    hp_vec_done(&walk->calls);
}
