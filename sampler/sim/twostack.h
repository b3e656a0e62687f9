// The example of jemalloc's PROFILING_INTERNALS.md on many machines: a million objects of
// 8 B and one of 8 MiB, with a period of 1 MiB.  It compares undoing the sampling before
// dumps are added up, and after.
#ifndef HPS_SIM_TWOSTACK_H
#define HPS_SIM_TWOSTACK_H

#include "core/random.h"

enum {
    HPS_TWOSTACK_STACKS = 2,
};

// Number of sampled objects of each stack on one machine.
struct hps_twostack_samples {
    uint64_t objects[HPS_TWOSTACK_STACKS];
};

// Sums by stack.
struct hps_twostack_sums {
    double bytes[HPS_TWOSTACK_STACKS], objects[HPS_TWOSTACK_STACKS];
};

// Sums over machines.
struct hps_twostack {
    uint64_t machines;
    struct hps_twostack_sums raw;    // sampled numbers
    struct hps_twostack_sums before; // sampling undone on each machine, then added up
};

// Sample one machine.
struct hps_twostack_samples hps_twostack_draw(struct hps_random *random);

// Add one machine.
void hps_twostack_add(struct hps_twostack *twostack, struct hps_twostack_samples samples);

// Undo the sampling of the sums: as if each stack were one object, or with one mean size
// for all stacks.
struct hps_twostack_sums hps_twostack_by_bytes(const struct hps_twostack *twostack);
struct hps_twostack_sums hps_twostack_by_mean(const struct hps_twostack *twostack);

// Print the truth and all estimates as a table.
void hps_twostack_print(const struct hps_twostack *twostack);

#endif
