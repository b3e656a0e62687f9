// jemalloc's sampler: each allocated byte is a sample with chance 1/period, and an object is
// sampled if it holds one.
#ifndef HPS_CORE_SAMPLER_H
#define HPS_CORE_SAMPLER_H

#include "sampler/core/countdown.h"
#include "sampler/core/gap.h"

// One per thread.
struct hps_sampler {
    struct hps_countdown countdown;
    struct hps_random random;
    uint64_t period;
};

static inline void hps_sampler_redraw(struct hps_sampler *sampler) {
    hps_countdown_start(&sampler->countdown,
                        hps_gap_geometric(&sampler->random, sampler->period));
}

// `random` is copied.
static inline void hps_sampler_init(struct hps_sampler *sampler, uint64_t period,
                                    const struct hps_random *random) {
    sampler->period = period;
    sampler->random = *random;
    hps_sampler_redraw(sampler);
}

// Whether the next object is sampled.
static inline bool hps_sampler_takes(struct hps_sampler *sampler, uint64_t size) {
    if (!hps_countdown_hits(&sampler->countdown, size)) {
        return false;
    }
    hps_sampler_redraw(sampler);
    return true;
}

// How many of the next `count` objects of one size come before one that is sampled; they
// are taken as passed.
static inline uint64_t hps_sampler_pass(struct hps_sampler *sampler, uint64_t size,
                                        uint64_t count) {
    int64_t left = sampler->countdown.left;
    uint64_t safe = left > 0 ? ((uint64_t)left - 1) / size : 0;
    uint64_t passed = safe < count ? safe : count;
    sampler->countdown.left = left - (int64_t)(passed * size);
    return passed;
}

#endif
