// Quicksort that compares two steps at a time (Bentley and Sedgewick, 1997).  Stacks
// below and above a pivot are sorted further by the same steps, and stacks equal to it by
// the next steps.  So no step is compared twice, and the steps to compare are stored next
// to the numbers of stacks.  Pivots are drawn with the random key of the process: no
// input can make the sort slow on purpose, and the order does not depend on them.
#include "view/stack_order.h"

#include "base/hash.h"

enum {
    FEW = 8,   // ranges of up to this size are sorted by insertion
    STEPS = 2, // steps that are compared at a time
};

// A stack with the steps to compare next.
struct order_entry {
    // Two steps, each + 1, at the depth of its range; 0: the stack has ended.
    uint64_t steps;
    uint32_t number;
};

// Entries that have the steps above `depth` in common.
struct order_range {
    size_t begin, end;
    uint32_t depth;
};

// State of the sort.
struct stack_sorter {
    const struct hp_stack_order *order;
    struct order_entry *entries;
    HP_VEC(struct order_range) pending; // ranges that are not sorted yet
    uint64_t random;                    // state of the generator of pivots
};

// The two steps of a stack from `depth` on.
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

// Whether `a` comes before `b`; their steps at `depth` are loaded.
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

// Draw a pivot: the median of three random entries.
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

// Sort entries with equal steps.  If their stacks end there, they are sorted by tags;
// else their next steps are loaded.
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

// Divide a range into entries below, equal to and above a pivot.
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
