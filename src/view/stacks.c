#include "view/stacks.h"

#include "base/hash.h"
#include "view/visible_frames.h"

#include <string.h>

// The frame of a call that belongs to none.
static const uint32_t no_frame = UINT32_MAX;

// --- places -------------------------------------------------------------------------------

// Add the call "[other]", whose number is after all calls of the naming.
static void add_other(struct hp_stacks *stacks, struct hp_naming *naming) {
    hp_node_id name = hp_naming_add(naming, hp_span_of("[other]"), HP_CLASS_NONE);
    hp_vec_push(&stacks->calls, ((struct hp_call){.node = name}));
    hp_vec_push(&stacks->lines, ((struct hp_line){0}));
    hp_vec_push(&stacks->frame_of, no_frame);
}

// The place "[other]".
static uint32_t place_of_other(const struct hp_stacks *stacks) {
    return (uint32_t)stacks->place_count - 1;
}

// The place that represents the frames that were cut off.
static uint32_t place_of_truncated(const struct hp_stacks *stacks) {
    return stacks->number_of[stacks->naming->truncated_call];
}

// Give a call of the naming the next number.
static void number_call(struct hp_stacks *stacks, uint32_t number, uint32_t frame) {
    const struct hp_naming *naming = stacks->naming;
    const struct hp_call *call = &naming->calls.at[number];
    struct hp_line line = {0};
    stacks->number_of[number] = (uint32_t)stacks->calls.count;
    hp_vec_push(&stacks->calls, *call);
    hp_vec_push(&stacks->lines,
                call->line > 0 ? naming->profile->lines.at[call->line - 1] : line);
    hp_vec_push(&stacks->frame_of, frame);
}

// Number the calls of a frame that are not hidden: either the folded ones or the others.
static void number_frame(struct hp_stacks *stacks, uint32_t frame, bool folded) {
    const struct hp_naming *naming = stacks->naming;
    const uint32_t *first = &naming->first_call.at[frame];
    for (uint32_t i = first[0]; i < first[1]; i++) {
        const struct hp_call *call = &naming->calls.at[i];
        if (call->is_folded == folded && !call->is_hidden) {
            number_call(stacks, i, frame);
        }
    }
}

// Number all calls that filters do not hide, with their lines, in the order of frames.
static void number_calls(struct hp_stacks *stacks, struct hp_naming *naming) {
    stacks->number_of = hp_alloc(naming->calls.count * sizeof *stacks->number_of);
    for (uint32_t i = 0; i + 1 < naming->first_call.count; i++) {
        number_frame(stacks, i, false);
        number_frame(stacks, i, true);
    }
    number_call(stacks, naming->empty_call, no_frame);
    number_call(stacks, naming->truncated_call, no_frame);
    add_other(stacks, naming);
    stacks->place_count = stacks->calls.count;
}

struct hp_place hp_stacks_place(const struct hp_stacks *stacks, uint32_t place) {
    uint32_t frame = stacks->frame_of.at[place], count = 1;
    const struct hp_call *calls = &stacks->calls.at[place];
    if (frame == no_frame) {
        return (struct hp_place){.calls = calls, .count = 1};
    }
    while (!calls->is_folded && stacks->frame_of.at[place + count] == frame &&
           !calls[count].is_folded) { // a folded call is a place of its own
        count++;
    }
    const struct hp_line *lines = calls->line > 0 ? &stacks->lines.at[place] : NULL;
    return (struct hp_place){&stacks->naming->profile->frames.at[frame], calls, lines,
                             count};
}

// --- keys ---------------------------------------------------------------------------------

// Buffer for the key of a stack.
struct stack_key {
    HP_VEC(uint32_t) at;
    hp_string tags;
    bool truncated;
};

// Find the visible nodes of a stack.  Returns false if filters leave nothing.
static bool find_names(const struct hp_stacks *stacks, const struct hp_stack *stack,
                       struct hp_visible_frames *frames, struct stack_key *key) {
    bool is_visible = hp_visible_nodes(stacks->naming, stack, frames);
    key->at.count = 0;
    hp_vec_reserve(&key->at, frames->nodes.count);
    for (size_t i = 0; is_visible && i < frames->nodes.count; i++) {
        key->at.at[key->at.count++] = frames->nodes.at[i].n;
    }
    key->truncated = frames->truncated;
    return is_visible;
}

// Find the visible places of a stack.  A call begins a new place if it is of another
// frame than the call before, or if its number is not higher: a folded call that stays
// comes first.
static bool find_places(const struct hp_stacks *stacks, const struct hp_stack *stack,
                        struct hp_visible_frames *frames, struct stack_key *key) {
    uint32_t last = 0, last_frame = stacks->frame_of.at[last];
    key->at.count = 0;
    if (!hp_visible_calls(stacks->naming, stack, frames)) {
        return false;
    }
    hp_vec_reserve(&key->at, frames->calls.count);
    uint32_t *at = key->at.at;
    for (size_t i = 0; i < frames->calls.count; i++) {
        uint32_t number = stacks->number_of[frames->calls.at[i]];
        uint32_t frame = stacks->frame_of.at[number];
        if (i == 0 || frame != last_frame || number <= last) {
            *at++ = number;
        }
        last = number;
        last_frame = frame;
    }
    key->at.count = (size_t)(at - key->at.at);
    if (frames->truncated) {
        hp_vec_push(&key->at, place_of_truncated(stacks));
    }
    return true;
}

// Find the sites of all calls of a stack.  Returns false if filters leave nothing.
static bool find_sites(const struct hp_stacks *stacks, const struct hp_stack *stack,
                       struct hp_visible_frames *frames, struct stack_key *key) {
    const struct hp_sites *sites = &stacks->sites;
    size_t shown = hp_all_calls(stacks->naming, stack, frames);
    key->at.count = 0;
    for (size_t i = 0; i < frames->calls.count; i++) {
        hp_vec_push(&key->at, hp_site_of(sites, frames->calls.at[i], i >= shown));
    }
    if (frames->truncated) {
        hp_vec_push(&key->at, hp_site_of(sites, stacks->naming->truncated_call, false));
    }
    return shown > 0;
}

// Cut a key to `most` places; the last one represents all that were cut off.  0: no
// limit.
static void limit_depth(const struct hp_stacks *stacks, struct stack_key *key,
                        size_t most) {
    if (most > 0 && key->at.count > most) {
        key->at.count = most;
        key->at.at[most - 1] = place_of_truncated(stacks);
    }
}

// Find the key of a stack of the profile.  Returns false if filters leave nothing of it.
static bool find_key(const struct hp_stacks *stacks, size_t stack, size_t max_depth,
                     struct hp_visible_frames *frames, struct stack_key *key) {
    const struct hp_profile *profile = stacks->naming->profile;
    if (stacks->of == HP_STACKS_OF_SITES) {
        const uint32_t *facet = stacks->facet_of_set;
        key->tags.n = facet ? facet[hp_profile_tags(profile, stack).n] : 0;
        return find_sites(stacks, &profile->stacks.at[stack], frames, key);
    }
    if (stacks->of != HP_STACKS_OF_ADDRESSES) {
        return find_names(stacks, &profile->stacks.at[stack], frames, key);
    }
    bool is_visible = find_places(stacks, &profile->stacks.at[stack], frames, key);
    limit_depth(stacks, key, max_depth);
    key->tags = hp_profile_tags(profile, stack);
    return is_visible;
}

// --- distinct stacks ----------------------------------------------------------------------

static uint32_t hash_of(const struct hp_stack_key *stack) {
    return (uint32_t)hp_hash_bytes(stack->at, stack->depth * sizeof *stack->at,
                                   hp_hash_key() ^ stack->tags.n);
}

// Number of the stack with this key; adds a copy if it is new.
static uint32_t find_or_add(struct hp_stacks *stacks, struct hp_index *index,
                            const struct stack_key *key) {
    struct hp_stack_key wanted = {key->at.at, (uint32_t)key->at.count, key->tags,
                                  key->truncated};
    size_t size = wanted.depth * sizeof *wanted.at;
    uint32_t hash = hash_of(&wanted), found;
    for (size_t at = hash; hp_index_next(index, hash, &at, &found);) {
        const struct hp_stack_key *known = &stacks->all.at[found];
        if (known->depth == wanted.depth && known->tags.n == wanted.tags.n &&
            known->truncated == wanted.truncated &&
            memcmp(known->at, wanted.at, size) == 0) {
            return found;
        }
    }
    uint32_t *copy = hp_arena_alloc(&stacks->arena, size, alignof(uint32_t));
    memcpy(copy, wanted.at, size);
    wanted.at = copy;
    hp_index_put(index, hash, stacks->all.count);
    hp_vec_push(&stacks->all, wanted);
    return (uint32_t)stacks->all.count - 1;
}

// --- order --------------------------------------------------------------------------------

// Rank the nodes by name, so that stacks are compared as numbers.  The caller frees the
// array.
static uint32_t *rank_names(const struct hp_naming *naming) {
    size_t count = hp_node_count(naming);
    hp_node_id *order = hp_alloc(count * sizeof *order);
    for (uint32_t i = 0; i < count; i++) {
        order[i].n = i;
    }
    uint32_t *rank = hp_nodes_rank(naming, order, count);
    free(order);
    return rank;
}

// Sort the stacks, and renumber the stacks of the profile.
static void sort(struct hp_stacks *stacks, const uint32_t *rank, bool from_leaf) {
    size_t count = stacks->all.count;
    // Frames that were cut off are one more root, after all others; in a tree they are a
    // node.
    bool is_tree = stacks->of == HP_STACKS_OF_TREE;
    struct hp_stack_order from = {
        .stacks = stacks->all.at,
        .rank = rank,
        .truncated = is_tree ? rank[stacks->naming->truncated.n] : UINT32_MAX - 1,
        .from_leaf = from_leaf,
    };
    uint32_t *order = hp_alloc(count * sizeof *order);
    uint32_t *place = hp_alloc(count * sizeof *place);
    struct hp_stack_key *sorted = hp_alloc(count * sizeof *sorted);
    hp_stack_order_sort(&from, order, count);
    for (uint32_t i = 0; i < count; i++) {
        place[order[i]] = i;
        sorted[i] = stacks->all.at[order[i]];
    }
    for (size_t i = 0; i < stacks->naming->profile->stacks.count; i++) {
        uint32_t *stack = &stacks->of_profile[i];
        *stack = *stack == HP_NO_STACK ? HP_NO_STACK : place[*stack];
    }
    free(order);
    free(place);
    free(stacks->all.at);
    stacks->all.at = sorted;
    stacks->all.capacity = count;
}

// --- by value -----------------------------------------------------------------------------

// A stack in the order by value.
struct ranked_stack {
    hp_fixed value;
    uint32_t stack;
};

// Order by value, the largest first, then by number.
static int by_value(const void *left, const void *right) {
    const struct ranked_stack *a = left, *b = right;
    if (a->value != b->value) {
        return a->value > b->value ? -1 : 1;
    }
    return (a->stack > b->stack) - (a->stack < b->stack);
}

uint32_t *hp_stacks_by_value(const struct hp_stacks *stacks,
                             const struct hp_stack_sums *sums, enum hp_metric metric) {
    size_t count = stacks->all.count;
    struct ranked_stack *ranked = hp_alloc(count * sizeof *ranked);
    uint32_t *order = hp_alloc(count * sizeof *order);
    for (uint32_t i = 0; i < count; i++) {
        ranked[i] = (struct ranked_stack){sums->values[i].of[metric], i};
    }
    qsort(ranked, count, sizeof *ranked, by_value);
    for (size_t i = 0; i < count; i++) {
        order[i] = ranked[i].stack;
    }
    free(ranked);
    return order;
}

// Keep the `most` - 1 largest stacks in their order.  The stack "[other]" replaces the
// others.
static void keep_largest(struct hp_stacks *stacks, const uint32_t *by_size, size_t most) {
    size_t count = stacks->all.count, kept = 0;
    // By stack: its new number + 1; 0: it is dropped.
    uint32_t *number = hp_alloc(count * sizeof *number);
    for (size_t i = 0; i < most - 1; i++) {
        number[by_size[i]] = 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (number[i]) {
            stacks->all.at[kept] = stacks->all.at[i];
            number[i] = (uint32_t)++kept;
        }
    }
    uint32_t *other = hp_arena_alloc(&stacks->arena, sizeof *other, alignof(uint32_t));
    *other = place_of_other(stacks);
    stacks->all.at[kept] = (struct hp_stack_key){.at = other, .depth = 1};
    stacks->all.count = kept + 1;
    for (size_t i = 0; i < stacks->naming->profile->stacks.count; i++) {
        uint32_t *stack = &stacks->of_profile[i];
        if (*stack != HP_NO_STACK) {
            *stack = number[*stack] ? number[*stack] - 1 : (uint32_t)kept;
        }
    }
    free(number);
}

// Limit the number of stacks to options.max_samples.
static void limit_count(struct hp_stacks *stacks,
                        const struct hp_report_options *options) {
    struct hp_stack_sums sums;
    if (options->max_samples == 0 || stacks->all.count <= options->max_samples) {
        return;
    }
    hp_stack_sums_init(&sums, stacks, false);
    hp_stack_sums_add(&sums, stacks, (struct hp_selection){HP_OF_ALL, 0});
    uint32_t *order = hp_stacks_by_value(stacks, &sums, options->metric);
    keep_largest(stacks, order, options->max_samples);
    free(order);
    hp_stack_sums_done(&sums);
}

// --- all stacks ---------------------------------------------------------------------------

// Find the distinct stacks, in the order in which the profile has them.
static void collect(struct hp_stacks *stacks, size_t max_depth) {
    size_t count = stacks->naming->profile->stacks.count;
    struct hp_index index = {0};
    struct hp_visible_frames frames = {0};
    struct stack_key key = {0};
    stacks->of_profile = hp_alloc(count * sizeof *stacks->of_profile);
    for (size_t i = 0; i < count; i++) {
        bool is_visible = find_key(stacks, i, max_depth, &frames, &key);
        stacks->of_profile[i] =
            is_visible ? find_or_add(stacks, &index, &key) : HP_NO_STACK;
    }
    hp_index_drop(&index);
    hp_visible_frames_done(&frames);
    hp_vec_done(&key.at);
}

void hp_stacks_init(struct hp_stacks *stacks, enum hp_stacks_of of,
                    struct hp_naming *naming, const struct hp_report_options *options) {
    *stacks = (struct hp_stacks){.of = of, .naming = naming};
    if (of == HP_STACKS_OF_ADDRESSES) {
        number_calls(stacks, naming);
        collect(stacks, options->max_depth);
        sort(stacks, NULL, false);
        limit_count(stacks, options);
    } else {
        collect(stacks, 0);
        uint32_t *rank = rank_names(naming);
        sort(stacks, rank, of == HP_STACKS_OF_TREE && options->invert);
        free(rank);
    }
    hp_trim_heap(); // memory of collecting and sorting: sums take as much
}

void hp_stacks_init_sites(struct hp_stacks *stacks, struct hp_naming *naming,
                          const uint32_t *facet_of_set) {
    *stacks = (struct hp_stacks){.of = HP_STACKS_OF_SITES,
                                 .naming = naming,
                                 .facet_of_set = facet_of_set};
    hp_sites_init(&stacks->sites, naming);
    collect(stacks, 0);
    sort(stacks, NULL, false);
}

void hp_stacks_done(struct hp_stacks *stacks) {
    hp_arena_done(&stacks->arena);
    hp_vec_done(&stacks->all);
    hp_vec_done(&stacks->calls);
    hp_vec_done(&stacks->lines);
    hp_vec_done(&stacks->frame_of);
    free(stacks->of_profile);
    free(stacks->number_of);
    hp_sites_done(&stacks->sites);
}
