// Filters have the meaning that they have in pprof.  They look at the calls of a stack,
// leaf first:
//
//     ignore      drops the stack if any call matches
//     focus       drops the stack if no call matches
//     show-from   drops the calls after the last shown call that matches, or the stack if
//                 there is no such call
//     fold        drops calls with is_folded; see below
//     hide, show  drop calls with is_hidden, which is computed from both
//
// Folding must leave each stack a leaf that its value can be attributed to.  If folding
// would drop all calls, or leave a leaf of HP_CLASS_NONE (an address in no module), to
// which memory of other functions is never attributed, then one folded call stays: the
// leaf that folding the allocator alone would give.
#include "view/visible_frames.h"

enum {
    JEMALLOC_DEPTH = 128, // default of jemalloc: PROF_BT_MAX_DEFAULT
};

static const uint32_t no_call = UINT32_MAX;

// Whether any filter is of this kind.
static bool has_rule(const struct hp_naming *naming, enum hp_filter_rule rule) {
    return (naming->filters->rules & hp_mark_of(rule)) != 0;
}

// Whether jemalloc cut off callers of the stack at its default of 128 frames, so that its
// last frame is no root.
static bool is_truncated(const struct hp_stack *stack) {
    return stack->depth == JEMALLOC_DEPTH;
}

// The outermost call of a stack, or the call "[empty stack]".  It is shown if all calls
// are the allocator's.
static uint32_t last_call(const struct hp_naming *naming, const struct hp_stack *stack) {
    if (stack->depth == 0) {
        return naming->empty_call;
    }
    uint32_t frame = stack->frames[stack->depth - 1].n;
    return naming->first_call.at[frame + 1] - 1;
}

// Whether a call is folded as part of the allocator.
static bool is_allocator(const struct hp_call *call) {
    return call->class == HP_CLASS_ALLOCATOR && call->is_folded;
}

// The call that would be the leaf of a stack if only calls of the allocator were folded.
static uint32_t allocating_call(const struct hp_naming *naming,
                                const struct hp_stack *stack) {
    for (uint32_t i = 0; i < stack->depth; i++) {
        const uint32_t *first = &naming->first_call.at[stack->frames[i].n];
        for (uint32_t call = first[0]; call < first[1]; call++) {
            if (!is_allocator(&naming->calls.at[call])) {
                return call;
            }
        }
    }
    return last_call(naming, stack);
}

// The first call of a stack, from the leaf, that is not folded; no_call: all are folded.
static uint32_t nearest_call(const struct hp_naming *naming,
                             const struct hp_stack *stack) {
    for (uint32_t i = 0; i < stack->depth; i++) {
        uint32_t id = stack->frames[i].n;
        const uint32_t *first = &naming->first_call.at[id];
        for (uint32_t call = first[0];
             naming->only.at[id].n != HP_NO_NODE && call < first[1]; call++) {
            if (!naming->calls.at[call].is_folded) {
                return call;
            }
        }
    }
    return no_call;
}

// Return the call of a stack that is shown although its class is folded, because the
// value of the stack must be attributed to some call; no_call: no such call is needed.
static uint32_t kept_call(const struct hp_naming *naming, const struct hp_stack *stack) {
    uint32_t nearest = nearest_call(naming, stack);
    if (nearest != no_call && naming->calls.at[nearest].class != HP_CLASS_NONE) {
        return no_call;
    }
    uint32_t call = allocating_call(naming, stack);
    bool is_empty = call == naming->empty_call;
    return is_empty || naming->calls.at[call].is_folded ? call : no_call;
}

struct hp_charged hp_charged_call(const struct hp_naming *naming,
                                  const struct hp_stack *stack) {
    uint32_t nearest = nearest_call(naming, stack);
    uint32_t allocating = allocating_call(naming, stack);
    bool is_charged =
        nearest != no_call && naming->calls.at[nearest].class != HP_CLASS_NONE;
    return (struct hp_charged){is_charged ? nearest : allocating, allocating};
}

// Append a node to frames->nodes; if `seen` is set, only if this stack has not had it.
static void push_node(struct hp_visible_frames *frames, hp_node_id node) {
    if (frames->seen && frames->seen[node.n] == frames->number) {
        return;
    }
    if (frames->seen) {
        frames->seen[node.n] = frames->number;
    }
    hp_vec_push(&frames->nodes, node);
}

// Append the nodes of the calls of one frame that are not folded.  The calls are first[0]
// to first[1] - 1.
static void push_nodes(const struct hp_naming *naming, struct hp_visible_frames *frames,
                       const uint32_t *first) {
    for (uint32_t call = first[0]; call < first[1]; call++) {
        if (!naming->calls.at[call].is_folded) {
            push_node(frames, naming->calls.at[call].node);
        }
    }
}

// Append the nodes of the frames `ids` up to the first frame with several calls that are
// not folded.  Returns the number of frames before that one.  This is the fast path: most
// frames have one such call or none.
static uint32_t push_single_nodes(const struct hp_naming *naming,
                                  struct hp_visible_frames *frames,
                                  const hp_frame_id *ids, uint32_t count) {
    hp_vec_reserve(&frames->nodes, count);
    const hp_node_id *only = naming->only.at;
    hp_node_id *first = frames->nodes.at + frames->nodes.count, *end = first;
    uint32_t i = 0;
    for (hp_node_id node; i < count && (node = only[ids[i].n]).n != 0; i++) {
        *end = node;
        end += node.n != HP_NO_NODE;
    }
    frames->nodes.count += (size_t)(end - first);
    return i;
}

// Do the same as push_single_nodes(), but append each node only once per stack.
static uint32_t push_new_nodes(const struct hp_naming *naming,
                               struct hp_visible_frames *frames, const hp_frame_id *ids,
                               uint32_t count) {
    hp_vec_reserve(&frames->nodes, count);
    const hp_node_id *only = naming->only.at;
    uint32_t *seen = frames->seen, number = frames->number, i = 0;
    hp_node_id *first = frames->nodes.at + frames->nodes.count, *end = first;
    for (hp_node_id node; i < count && (node = only[ids[i].n]).n != 0; i++) {
        if (node.n != HP_NO_NODE && seen[node.n] != number) {
            seen[node.n] = number;
            *end++ = node;
        }
    }
    frames->nodes.count += (size_t)(end - first);
    return i;
}

// Append the visible nodes of a stack to frames->nodes.  Used if there are no filters.
static void collect_nodes(const struct hp_naming *naming, const struct hp_stack *stack,
                          struct hp_visible_frames *frames) {
    uint32_t kept = kept_call(naming, stack);
    if (kept != no_call) {
        push_node(frames, naming->calls.at[kept].node);
    }
    for (uint32_t i = 0; i < stack->depth; i++) {
        const hp_frame_id *ids = stack->frames + i;
        uint32_t left = stack->depth - i;
        i += frames->seen ? push_new_nodes(naming, frames, ids, left)
                          : push_single_nodes(naming, frames, ids, left);
        if (i < stack->depth) {
            push_nodes(naming, frames, &naming->first_call.at[stack->frames[i].n]);
        }
    }
}

// Append all calls of a stack, folded or not, to frames->calls; then "[empty stack]" if
// it has no frames, and "[truncated]" if callers were cut off.
static void collect_calls(const struct hp_naming *naming, const struct hp_stack *stack,
                          struct hp_visible_frames *frames) {
    const uint32_t *first_call = naming->first_call.at;
    size_t count = frames->calls.count;
    for (uint32_t i = 0; i < stack->depth; i++) {
        uint32_t id = stack->frames[i].n;
        count += first_call[id + 1] - first_call[id];
    }
    hp_vec_reserve(&frames->calls, count);
    uint32_t *at = frames->calls.at;
    for (uint32_t i = 0; i < stack->depth; i++) {
        const uint32_t *first = &first_call[stack->frames[i].n];
        for (uint32_t call = first[0]; call < first[1]; call++) {
            *at++ = call;
        }
    }
    frames->calls.count = count;
    if (stack->depth == 0) {
        hp_vec_push(&frames->calls, naming->empty_call);
    }
    if (frames->truncated) {
        hp_vec_push(&frames->calls, naming->truncated_call);
    }
}

// Number of calls in frames->calls, from the leaf, up to the last one that show-from
// keeps; all if there is no such filter.
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

// Whether the filters ignore and focus, and the pattern of a graph of peek, keep the
// stack whose calls are in frames->calls.
static bool is_chosen(const struct hp_naming *naming,
                      const struct hp_visible_frames *frames) {
    unsigned marks = 0;
    for (size_t i = 0; i < frames->calls.count; i++) {
        marks |= naming->calls.at[frames->calls.at[i]].marks;
    }
    return (marks & hp_mark_of(HP_IGNORE)) == 0 &&
           (!has_rule(naming, HP_FOCUS) || (marks & hp_mark_of(HP_FOCUS)) != 0) &&
           (!naming->filters->focuses_picks || (marks & hp_mark_of(HP_PICK)) != 0);
}

// Drop calls that are folded or hidden from frames->calls, and all calls from index `end`
// on.  The first occurrence of the call that has to stay (kept_call()) is not folded.
static void fold(const struct hp_naming *naming, const struct hp_stack *stack, size_t end,
                 struct hp_visible_frames *frames) {
    const struct hp_call *calls = naming->calls.at;
    uint32_t kept = kept_call(naming, stack);
    size_t left = 0;
    for (size_t i = 0; i < end; i++) {
        uint32_t number = frames->calls.at[i];
        const struct hp_call *call = &calls[number];
        bool is_shown = !call->is_folded || number == kept;
        kept = number == kept ? no_call : kept;
        if (is_shown && !call->is_hidden) {
            frames->calls.at[left++] = number;
        }
    }
    frames->calls.count = left;
}

bool hp_visible_calls(const struct hp_naming *naming, const struct hp_stack *stack,
                      struct hp_visible_frames *frames) {
    frames->calls.count = 0;
    frames->truncated = is_truncated(stack);
    collect_calls(naming, stack, frames);
    bool is_left = !hp_filters_any(naming->filters) || is_chosen(naming, frames);
    fold(naming, stack, is_left ? end_shown(naming, frames) : 0, frames);
    size_t count = frames->calls.count;
    frames->truncated =
        count > 0 && frames->calls.at[count - 1] == naming->truncated_call;
    frames->calls.count -= frames->truncated;
    return frames->calls.count > 0;
}

size_t hp_all_calls(const struct hp_naming *naming, const struct hp_stack *stack,
                    struct hp_visible_frames *frames) {
    bool is_any = false, is_cut = is_truncated(stack);
    frames->calls.count = 0;
    frames->truncated = is_cut;
    collect_calls(naming, stack, frames);
    bool is_left = !hp_filters_any(naming->filters) || is_chosen(naming, frames);
    size_t end = is_left ? end_shown(naming, frames) : 0;
    frames->truncated = is_cut && end == frames->calls.count &&
                        !naming->calls.at[naming->truncated_call].is_hidden;
    frames->calls.count -= is_cut;
    end = end < frames->calls.count ? end : frames->calls.count;
    for (size_t i = 0; i < end; i++) {
        is_any |= !naming->calls.at[frames->calls.at[i]].is_hidden;
    }
    return is_any ? end : 0;
}

bool hp_visible_nodes(const struct hp_naming *naming, const struct hp_stack *stack,
                      struct hp_visible_frames *frames) {
    frames->nodes.count = 0;
    frames->number++;
    frames->truncated = is_truncated(stack);
    if (!hp_filters_any(naming->filters)) {
        collect_nodes(naming, stack, frames);
        return true;
    }
    bool is_left = hp_visible_calls(naming, stack, frames);
    for (size_t i = 0; is_left && i < frames->calls.count; i++) {
        push_node(frames, naming->calls.at[frames->calls.at[i]].node);
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
    *members = (struct hp_members){.node_count = hp_node_count(naming)};
    struct hp_visible_frames frames = {
        .seen = hp_alloc(members->node_count * sizeof *frames.seen)};
    const struct hp_stack *stack;
    hp_vec_each (stack, &naming->profile->stacks) {
        hp_vec_push(&members->first, members->nodes.count);
        bool is_visible = hp_visible_nodes(naming, stack, &frames);
        size_t count = cum ? frames.nodes.count : 1;
        hp_vec_append(&members->nodes, frames.nodes.at, is_visible ? count : 0);
    }
    hp_vec_push(&members->first, members->nodes.count);
    free(frames.seen);
    hp_visible_frames_done(&frames);
}

void hp_members_done(struct hp_members *members) {
    hp_vec_done(&members->first);
    hp_vec_done(&members->nodes);
}
