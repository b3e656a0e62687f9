// Filters are pprof's.  Of the calls of a stack, leaf first and without the allocator's:
//
//     ignore      any that matches:  nothing is left
//     focus       none that matches: nothing is left
//     hide, show  is_hidden of each call, which has what both say of it
//     show-from   what is behind the last shown call that matches is cut; none: nothing is left
#include "view/visible_frames.h"

enum {
    JEMALLOC_DEPTH = 128, // PROF_BT_MAX_DEFAULT
};

static bool has_rule(const struct hp_naming *naming, enum hp_filter_rule rule) {
    return (naming->filters->rules & hp_mark_of(rule)) != 0;
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

static void push_nodes(const struct hp_naming *naming, struct hp_visible_frames *frames,
                       uint32_t call, uint32_t end) {
    hp_vec_reserve(&frames->nodes, end - call);
    for (; call < end; call++) {
        frames->nodes.at[frames->nodes.count++] = naming->calls.at[call].node;
    }
}

static void collect_nodes(const struct hp_naming *naming, const struct hp_stack *stack,
                          struct hp_visible_frames *frames) {
    uint32_t frame = 0, call = 0;
    if (!naming->all_frames) {
        skip_allocator(naming, stack, &frame, &call);
        if (frame < stack->depth) { // some calls of this frame may have been dropped
            uint32_t id = stack->frames[frame++].n;
            push_nodes(naming, frames, call, naming->first_call.at[id + 1]);
        }
    }
    hp_vec_reserve(&frames->nodes, stack->depth - frame);
    for (; frame < stack->depth; frame++) {
        uint32_t id = stack->frames[frame].n;
        hp_node_id only = naming->only.at[id];
        if (only.n) {
            frames->nodes.at[frames->nodes.count++] = only;
        } else {
            const uint32_t *first = &naming->first_call.at[id];
            push_nodes(naming, frames, first[0], first[1]);
            hp_vec_reserve(&frames->nodes, stack->depth - frame);
        }
    }
    if (frames->nodes.count == 0) {
        hp_vec_push(&frames->nodes, naming->calls.at[last_call(naming, stack)].node);
    }
}

static void push_calls(struct hp_visible_frames *frames, uint32_t call, uint32_t end) {
    hp_vec_reserve(&frames->calls, end - call);
    for (; call < end; call++) {
        frames->calls.at[frames->calls.count++] = call;
    }
}

static void collect_calls(const struct hp_naming *naming, const struct hp_stack *stack,
                          struct hp_visible_frames *frames) {
    const uint32_t *first_call = naming->first_call.at;
    uint32_t frame = 0, call = 0;
    if (!naming->all_frames) {
        skip_allocator(naming, stack, &frame, &call);
    } else if (stack->depth > 0) {
        call = first_call[stack->frames[0].n];
    }
    for (; frame < stack->depth; frame++) {
        push_calls(frames, call, first_call[stack->frames[frame].n + 1]);
        if (frame + 1 < stack->depth) {
            call = first_call[stack->frames[frame + 1].n];
        }
    }
    if (frames->calls.count == 0) {
        hp_vec_push(&frames->calls, last_call(naming, stack));
    }
    if (frames->truncated) {
        hp_vec_push(&frames->calls, naming->truncated_call);
    }
}

// Where the part that is shown ends: behind the last of its calls.
static size_t end_shown(const struct hp_naming *naming,
                        const struct hp_visible_frames *frames) {
    size_t end = frames->calls.count;
    for (; has_rule(naming, HP_SHOW_FROM) && end > 0; end--) {
        const struct hp_call *call = &naming->calls.at[frames->calls.at[end - 1]];
        if (!call->is_hidden && (call->marks & hp_mark_of(HP_SHOW_FROM)) != 0) {
            break;
        }
    }
    return end;
}

// Focus and ignore look at all calls, the others at what is left by hide and show.
static bool filter(const struct hp_naming *naming, struct hp_visible_frames *frames) {
    unsigned marks = 0;
    size_t end = end_shown(naming, frames), left = 0;
    for (size_t i = 0; i < frames->calls.count; i++) {
        marks |= naming->calls.at[frames->calls.at[i]].marks;
    }
    if ((marks & hp_mark_of(HP_IGNORE)) != 0 ||
        (has_rule(naming, HP_FOCUS) && (marks & hp_mark_of(HP_FOCUS)) == 0)) {
        return false;
    }
    for (size_t i = 0; i < end; i++) {
        if (!naming->calls.at[frames->calls.at[i]].is_hidden) {
            frames->calls.at[left++] = frames->calls.at[i];
        }
    }
    frames->calls.count = left;
    return true;
}

bool hp_visible_calls(const struct hp_naming *naming, const struct hp_stack *stack,
                      struct hp_visible_frames *frames) {
    frames->calls.count = 0;
    frames->truncated = is_truncated(stack);
    collect_calls(naming, stack, frames);
    if (hp_filters_any(naming->filters) && !filter(naming, frames)) {
        return false;
    }
    size_t count = frames->calls.count;
    frames->truncated =
        count > 0 && frames->calls.at[count - 1] == naming->truncated_call;
    frames->calls.count -= frames->truncated;
    return frames->calls.count > 0;
}

bool hp_visible_nodes(const struct hp_naming *naming, const struct hp_stack *stack,
                      struct hp_visible_frames *frames) {
    frames->nodes.count = 0;
    frames->truncated = is_truncated(stack);
    if (!hp_filters_any(naming->filters)) {
        collect_nodes(naming, stack, frames);
        return true;
    }
    bool is_left = hp_visible_calls(naming, stack, frames);
    for (size_t i = 0; is_left && i < frames->calls.count; i++) {
        hp_vec_push(&frames->nodes, naming->calls.at[frames->calls.at[i]].node);
    }
    return is_left;
}

void hp_visible_frames_done(struct hp_visible_frames *frames) {
    hp_vec_done(&frames->nodes);
    hp_vec_done(&frames->calls);
}

bool *hp_visible_stacks(const struct hp_naming *naming) {
    const struct hp_profile *profile = naming->profile;
    bool *is_visible = hp_alloc(profile->stacks.count);
    struct hp_visible_frames frames = {0};
    for (size_t i = 0; i < profile->stacks.count; i++) {
        is_visible[i] = hp_visible_nodes(naming, &profile->stacks.at[i], &frames);
    }
    hp_visible_frames_done(&frames);
    return is_visible;
}

// --- members ------------------------------------------------------------------------------

void hp_members_init(struct hp_members *members, const struct hp_naming *naming,
                     bool cum) {
    *members = (struct hp_members){.node_count = naming->names.strings.count};
    uint32_t *seen = hp_alloc(members->node_count * sizeof *seen);
    struct hp_visible_frames frames = {0};
    uint32_t number = 0;
    const struct hp_stack *stack;
    hp_vec_each (stack, &naming->profile->stacks) {
        hp_vec_push(&members->first, members->nodes.count);
        bool is_visible = hp_visible_nodes(naming, stack, &frames);
        size_t count = cum ? frames.nodes.count : 1;
        number++;
        for (size_t i = 0; is_visible && i < count; i++) {
            hp_node_id node = frames.nodes.at[i];
            if (seen[node.n] != number) {
                seen[node.n] = number;
                hp_vec_push(&members->nodes, node);
            }
        }
    }
    hp_vec_push(&members->first, members->nodes.count);
    hp_visible_frames_done(&frames);
    free(seen);
}

void hp_members_done(struct hp_members *members) {
    hp_vec_done(&members->first);
    hp_vec_done(&members->nodes);
}
