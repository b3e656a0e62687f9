// jemalloc's sampler: each allocated byte is a sample with chance 1/period, and an object is
// sampled if it holds one.
#ifndef HP_SAMPLER_SAMPLER_H
#define HP_SAMPLER_SAMPLER_H

#include "sampler/core/countdown.h"
#include "sampler/core/gap.h"

// One per thread.
struct hp_sampler {
    struct hp_countdown countdown;
    struct hp_random random;
    uint64_t period;
};

static inline void hp_sampler_redraw(struct hp_sampler *sampler) {
    hp_countdown_start(&sampler->countdown,
                       hp_gap_geometric(&sampler->random, sampler->period));
}

// `random` is copied.
static inline void hp_sampler_init(struct hp_sampler *sampler, uint64_t period,
                                   const struct hp_random *random) {
    sampler->period = period;
    sampler->random = *random;
    hp_sampler_redraw(sampler);
}

// Whether the next object is sampled.
static inline bool hp_sampler_takes(struct hp_sampler *sampler, uint64_t size) {
    if (!hp_countdown_hits(&sampler->countdown, size)) {
        return false;
    }
    hp_sampler_redraw(sampler);
    return true;
}

// How many of the next `count` objects of one size come before one that is sampled; they
// are taken as passed.
static inline uint64_t hp_sampler_pass(struct hp_sampler *sampler, uint64_t size,
                                       uint64_t count) {
    int64_t left = sampler->countdown.left;
    uint64_t safe = left > 0 ? ((uint64_t)left - 1) / size : 0;
    uint64_t passed = safe < count ? safe : count;
    sampler->countdown.left = left - (int64_t)(passed * size);
    return passed;
}

#endif
