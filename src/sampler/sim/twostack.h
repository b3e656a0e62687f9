// The example of jemalloc's PROFILING_INTERNALS.md, a million objects of 8 B and one of
// 8 MiB with a period of 1 MiB, on many machines: what comes out when sampling is undone
// before dumps are added up, and after.
#ifndef HP_SAMPLER_TWOSTACK_H
#define HP_SAMPLER_TWOSTACK_H

#include "sampler/core/random.h"

enum {
    HP_TWOSTACK_STACKS = 2,
};

// Sampled objects of each stack on one machine.
struct hp_twostack_samples {
    uint64_t objects[HP_TWOSTACK_STACKS];
};

struct hp_twostack_sums {
    double bytes[HP_TWOSTACK_STACKS], objects[HP_TWOSTACK_STACKS];
};

struct hp_twostack {
    uint64_t machines;
    struct hp_twostack_sums raw;    // sampled
    struct hp_twostack_sums before; // undone on each machine, then added up
};

struct hp_twostack_samples hp_twostack_draw(struct hp_random *random);

void hp_twostack_add(struct hp_twostack *twostack, struct hp_twostack_samples samples);

// Undo after all was added up: of the samples' sums as if each stack were one object, or
// with one mean size for all stacks.
struct hp_twostack_sums hp_twostack_by_bytes(const struct hp_twostack *twostack);
struct hp_twostack_sums hp_twostack_by_mean(const struct hp_twostack *twostack);

void hp_twostack_print(const struct hp_twostack *twostack);

#endif
