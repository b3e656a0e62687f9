#include "view/stacks.h"

#include "base/hash.h"
#include "view/visible_frames.h"

#include <string.h>

// --- stack order -----------------------------------------------------------------------

// Quicksort that compares two steps of stacks at a time (Bentley and Sedgewick, 1997).
// Stacks below and above a pivot are sorted further by the same steps, and stacks equal
// to it by the next steps.  So no step is compared twice, and the steps to compare are
// stored next to the numbers of stacks.  Pivots are drawn with the random key of the
// process: no input can make the sort slow on purpose, and the order does not depend on
// them.

enum {
    FEW = 8,   // ranges of up to this many stacks are sorted by insertion
    STEPS = 2, // steps that are compared at a time
};

// A stack with the two steps to compare next.
struct order_entry {
    // Ranks of the two steps from order_range.depth on, each + 1, the first one in the
    // upper half; 0: the stack has no such step.
    uint64_t steps;
    uint32_t number;
};

// A range of entries, which have the first `depth` steps in common.
struct order_range {
    size_t begin, end;
    uint32_t depth;
};

// State while the distinct stacks of a view are sorted.
struct stack_sorter {
    const struct hp_stack_order *order;
    struct order_entry *entries;
    HP_VEC(struct order_range) pending; // ranges that are not sorted yet
    uint64_t random;                    // state of the generator of pivots
};

// Return order_entry.steps of a stack for a depth.
static uint64_t load(const struct hp_stack_order *order, uint32_t number,
                     uint32_t depth) {
    const struct hp_stack_key *stack = &order->stacks[number];
    uint32_t left = hp_stack_steps(stack);
    left -= depth < left ? depth : left;
    uint64_t first = left > 0 ? (uint64_t)hp_stack_step(order, stack, depth) + 1 : 0;
    uint64_t second = left > 1 ? (uint64_t)hp_stack_step(order, stack, depth + 1) + 1 : 0;
    return first << 32 | second;
}

// Order of stacks with equal steps: by tags, then by number.
static int by_tags(const void *left, const void *right, void *context) {
    const struct hp_stack_order *order = context;
    const struct order_entry *a = left, *b = right;
    uint32_t tags_of_a = order->stacks[a->number].tags.n;
    uint32_t tags_of_b = order->stacks[b->number].tags.n;
    if (tags_of_a != tags_of_b) {
        return tags_of_a < tags_of_b ? -1 : 1;
    }
    return (a->number > b->number) - (a->number < b->number);
}

// Whether `a` comes before `b`.  Their `steps` are those at `depth`.
static bool is_before(const struct stack_sorter *sorter, const struct order_entry *a,
                      const struct order_entry *b, uint32_t depth) {
    uint64_t at_a = a->steps, at_b = b->steps;
    while (at_a == at_b && (uint32_t)at_a != 0) {
        depth += STEPS;
        at_a = load(sorter->order, a->number, depth);
        at_b = load(sorter->order, b->number, depth);
    }
    return at_a != at_b ? at_a < at_b
                        : by_tags(a, b, (void *)(uintptr_t)sorter->order) < 0;
}

// Sort a small range by insertion.
static void sort_few(const struct stack_sorter *sorter, struct order_range range) {
    struct order_entry *entries = sorter->entries;
    for (size_t i = range.begin + 1; i < range.end; i++) {
        struct order_entry entry = entries[i];
        size_t at = i;
        for (;
             at > range.begin && is_before(sorter, &entry, &entries[at - 1], range.depth);
             at--) {
            entries[at] = entries[at - 1];
        }
        entries[at] = entry;
    }
}

// Draw a pivot: the median of the `steps` of three random entries.
static uint64_t draw(struct stack_sorter *sorter, struct order_range range) {
    uint64_t three[3];
    for (int i = 0; i < 3; i++) {
        sorter->random = hp_hash_mix(sorter->random + 1, 0x9e3779b97f4a7c15);
        size_t place = range.begin + sorter->random % (range.end - range.begin);
        three[i] = sorter->entries[place].steps;
    }
    uint64_t low = three[0] < three[1] ? three[0] : three[1];
    uint64_t high = three[0] < three[1] ? three[1] : three[0];
    return three[2] < low ? low : three[2] > high ? high : three[2];
}

static void swap(struct order_entry *a, struct order_entry *b) {
    struct order_entry entry = *a;
    *a = *b;
    *b = entry;
}

// Continue with a range of entries with equal `steps`.  If their stacks end with these,
// sort them by tags; else load their next steps, and leave the range to be sorted later.
static void go_on(struct stack_sorter *sorter, struct order_range range) {
    struct order_entry *entries = sorter->entries;
    if ((uint32_t)entries[range.begin].steps == 0) {
        qsort_r(entries + range.begin, range.end - range.begin, sizeof *entries, by_tags,
                (void *)(uintptr_t)sorter->order);
        return;
    }
    range.depth += STEPS;
    for (size_t i = range.begin; i < range.end; i++) {
        entries[i].steps = load(sorter->order, entries[i].number, range.depth);
    }
    hp_vec_push(&sorter->pending, range);
}

// Divide a range into entries below, equal to and above a pivot, to be sorted later.
static void split(struct stack_sorter *sorter, struct order_range range) {
    struct order_entry *entries = sorter->entries;
    uint64_t pivot = draw(sorter, range);
    size_t low = range.begin, high = range.end, i = range.begin;
    while (i < high) {
        if (entries[i].steps < pivot) {
            swap(&entries[i++], &entries[low++]);
        } else if (entries[i].steps > pivot) {
            swap(&entries[i], &entries[--high]);
        } else {
            i++;
        }
    }
    hp_vec_push(&sorter->pending, ((struct order_range){range.begin, low, range.depth}));
    hp_vec_push(&sorter->pending, ((struct order_range){high, range.end, range.depth}));
    go_on(sorter, (struct order_range){low, high, range.depth});
}

void hp_stack_order_sort(const struct hp_stack_order *order, uint32_t *numbers,
                         size_t count) {
    struct stack_sorter sorter = {.order = order, .random = hp_hash_key()};
    sorter.entries = hp_alloc(count * sizeof *sorter.entries);
    for (uint32_t i = 0; i < count; i++) {
        sorter.entries[i] = (struct order_entry){load(order, i, 0), i};
    }
    hp_vec_push(&sorter.pending, ((struct order_range){0, count, 0}));
    while (sorter.pending.count > 0) {
        struct order_range range = sorter.pending.at[--sorter.pending.count];
        if (range.end - range.begin > FEW) {
            split(&sorter, range);
        } else {
            sort_few(&sorter, range);
        }
    }
    for (size_t i = 0; i < count; i++) {
        numbers[i] = sorter.entries[i].number;
    }
    hp_vec_done(&sorter.pending);
    free(sorter.entries);
}

// --- stacks ----------------------------------------------------------------------------

// In hp_stacks.frame_of: the call belongs to no frame.
static const uint32_t no_frame = UINT32_MAX;

// --- places -------------------------------------------------------------------------------

// Append the call "[other]", which represents the stacks beyond options.max_samples.
static void add_other(struct hp_stacks *stacks, struct hp_naming *naming) {
    hp_node_id name = hp_naming_add(naming, hp_span_of("[other]"), HP_CLASS_NONE);
    hp_vec_push(&stacks->calls, ((struct hp_call){.node = name}));
    hp_vec_push(&stacks->lines, ((struct hp_line){0}));
    hp_vec_push(&stacks->frame_of, no_frame);
}

// Return the place (an element of stacks) that represents the stacks beyond
// options.max_samples, "[other]".
static uint32_t place_of_other(const struct hp_stacks *stacks) {
    return (uint32_t)stacks->place_count - 1;
}

// Return the place (an element of stacks) that represents the frames that were cut off.
static uint32_t place_of_truncated(const struct hp_stacks *stacks) {
    return stacks->number_of[stacks->naming->truncated_call];
}

// Append a call of the naming to stacks->calls, with its line and frame.
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

// Append the calls of a frame that are not hidden: either those that are folded, or those
// that are not.
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

// Make stacks->calls, lines, frame_of and number_of: all calls that filters do not hide,
// in the order of frames, then the calls of no frame.
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

// Make the key of visible nodes of a stack.  Returns false if filters leave nothing.
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

// Make the key of visible places of a stack.  A call begins a new place if it is of
// another frame than the call before, or if its number is not higher than that one's: a
// folded call that stays comes first, but has a higher number.  Returns false if filters
// leave nothing.
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

// Make the key of the sites of all calls of a stack.  Returns false if filters leave
// nothing.
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

// Limit a key to `most` elements; the last one then represents the frames that were cut
// off.  0: no limit.
static void limit_depth(const struct hp_stacks *stacks, struct stack_key *key,
                        size_t most) {
    if (most > 0 && key->at.count > most) {
        key->at.count = most;
        key->at.at[most - 1] = place_of_truncated(stacks);
    }
}

// Make the key of a stack of the profile, of the elements that stacks->of says.  Returns
// false if filters leave nothing of the stack.
static bool find_key(const struct hp_stacks *stacks, size_t stack, size_t max_depth,
                     struct hp_visible_frames *frames, struct stack_key *key) {
    const struct hp_profile *profile = stacks->naming->profile;
    if (stacks->of == HP_STACKS_OF_SITES) {
        const uint32_t *facet = stacks->facet_of_set;
        key->tags.n = facet ? facet[hp_profile_tags(profile, stack).n] : 0;
        return find_sites(stacks, &profile->stacks.at[stack], frames, key);
    }
    if (stacks->of != HP_STACKS_OF_ADDRESSES) {
        key->tags.n = stacks->group_of ? stacks->group_of[stack] : 0;
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

// Return the number of the stack with this key; add it, with a copy of its elements, if
// it is new.
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

// Sort the distinct stacks, and renumber them in of_profile.
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

// Keep the `most` - 1 largest stacks, in the order that they have.  All others become one
// stack, "[other]", the last one.  `by_size`: numbers of the stacks, the largest first.
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
    if (options->pprof.max_samples == 0 ||
        stacks->all.count <= options->pprof.max_samples) {
        return;
    }
    hp_stack_sums_init(&sums, stacks, false);
    hp_stack_sums_add(&sums, stacks, (struct hp_selection){HP_OF_ALL, 0});
    uint32_t *order = hp_stacks_by_value(stacks, &sums, options->metric);
    keep_largest(stacks, order, options->pprof.max_samples);
    free(order);
    hp_stack_sums_done(&sums);
}

// --- all stacks ---------------------------------------------------------------------------

// Find the distinct stacks and of_profile, in the order in which the profile has them.
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

// Find and sort the distinct stacks of names.
static void find_named(struct hp_stacks *stacks, bool from_leaf) {
    collect(stacks, 0);
    uint32_t *rank = rank_names(stacks->naming);
    sort(stacks, rank, from_leaf);
    free(rank);
}

void hp_stacks_init(struct hp_stacks *stacks, enum hp_stacks_of of,
                    struct hp_naming *naming, const struct hp_report_options *options) {
    *stacks = (struct hp_stacks){.of = of, .naming = naming};
    if (of == HP_STACKS_OF_ADDRESSES) {
        number_calls(stacks, naming);
        collect(stacks, options->pprof.max_depth);
        sort(stacks, NULL, false);
        limit_count(stacks, options);
    } else {
        find_named(stacks, of == HP_STACKS_OF_TREE && options->tree.invert);
    }
    hp_trim_heap(); // return memory of collecting and sorting: sums take as much next
}

void hp_stacks_init_groups(struct hp_stacks *stacks, struct hp_naming *naming,
                           const uint32_t *group_of) {
    *stacks = (struct hp_stacks){.of = HP_STACKS_OF_NAMES,
                                 .naming = naming,
                                 .group_of = group_of};
    find_named(stacks, false);
    stacks->group_of = NULL;
    hp_trim_heap();
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
