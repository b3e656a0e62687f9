// The estimate S/p if sampled, else 0, has the variance S^2 (1-p)/p; with p = 1/N this is
// (N-1) S^2.
#include "sim/method_coin.h"

#include "sim/optimal.h"
#include "sim/resize.h"

#include <stdlib.h>

uint64_t hps_method_coin_run(const struct hps_plan *plan, struct hps_random *random,
                             struct hps_estimate *estimates) {
    const struct hps_layout *layout = plan->layout;
    uint64_t walks = 0;
    for (uint32_t i = 0; i < layout->count; i++) {
        if (hps_random_next(random) < plan->chances[i]) {
            hps_plan_credit(plan, i, plan->weights[i], estimates);
            walks++;
        }
    }
    return walks;
}

// Set the probability and the weight of an object.
static void set_chance(struct hps_plan *plan, uint32_t object, double chance) {
    double scaled = chance * 0x1p64;
    plan->chances[object] = scaled < 0x1p64 ? (uint64_t)scaled : UINT64_MAX;
    double size = (double)plan->layout->sizes[object];
    plan->weights[object] = chance > 0 ? size / chance : 0;
}

// Allocate weights and probabilities for all objects.
static void make_room(struct hps_plan *plan) {
    uint32_t count = plan->layout->count;
    plan->weights = hps_resize(NULL, count * sizeof *plan->weights);
    plan->chances = hps_resize(NULL, count * sizeof *plan->chances);
}

void hps_method_coin_prepare_objects(struct hps_plan *plan) {
    const struct hps_layout *layout = plan->layout;
    make_room(plan);
    for (uint32_t i = 0; i < layout->count; i++) {
        set_chance(plan, i, layout->walks / layout->count);
    }
}

// --- the best probabilities ------------------------------------------------------------

// An object, for sorting by size.
struct size_entry {
    uint64_t size;
    uint32_t object;
    uint32_t kind; // number of its kind; all objects of a size are one kind
};

// Compare entries by size, for qsort().
static int by_size(const void *left, const void *right) {
    uint64_t a = ((const struct size_entry *)left)->size;
    uint64_t b = ((const struct size_entry *)right)->size;
    return (a > b) - (a < b);
}

// All objects sorted by size; the caller frees them.
static struct size_entry *sorted_entries(const struct hps_layout *layout) {
    struct size_entry *entries = hps_resize(NULL, layout->count * sizeof *entries);
    for (uint32_t i = 0; i < layout->count; i++) {
        entries[i] = (struct size_entry){.size = layout->sizes[i], .object = i};
    }
    qsort(entries, layout->count, sizeof *entries, by_size);
    return entries;
}

// Assign the sorted objects to kinds.  Returns the number of kinds.
static uint32_t find_kinds(const struct hps_layout *layout, struct size_entry *entries,
                           struct hps_optimal_kind *kinds) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < layout->count; i++) {
        if (i == 0 || entries[i].size != entries[i - 1].size) {
            kinds[count++] = (struct hps_optimal_kind){.size = (double)entries[i].size};
        }
        entries[i].kind = count - 1;
        kinds[count - 1].allocated++;
        kinds[count - 1].live += layout->slots[entries[i].object] < layout->stacks;
    }
    return count;
}

void hps_method_coin_prepare_optimal(struct hps_plan *plan) {
    const struct hps_layout *layout = plan->layout;
    struct size_entry *entries = sorted_entries(layout);
    struct hps_optimal_kind *kinds = hps_resize(NULL, layout->count * sizeof *kinds);
    uint32_t count = find_kinds(layout, entries, kinds);
    double *chances = hps_resize(NULL, count * sizeof *chances);
    hps_optimal_chances(kinds, count, layout->walks, chances);
    make_room(plan);
    for (uint32_t i = 0; i < layout->count; i++) {
        set_chance(plan, entries[i].object, chances[entries[i].kind]);
    }
    free(chances);
    free(kinds);
    free(entries);
}
