// jemalloc's sampler.  Each allocated byte is a sample with chance 1/period, and an
// object is sampled if it contains one.  A map of this folder, which the preloaded
// library and the simulator share:
//
// - sampler.h is the sampler; it combines countdown.h (the decision), gap.h (distances
//   between samples) and random.h (random numbers).
// - ledger.h keeps the statistics of sampled objects by stack and thread; objects.h finds
//   a recorded object by its address.
// - heapfile.h writes the ledger as a jemalloc heap dump, through textfile.h.
// - usize.h computes the usable size that jemalloc gives to a request.
// - pool.h allocates memory from mmap().
//
// Invariants: this code runs inside malloc() and in signal handlers.  Therefore it never
// calls malloc() or stdio, and does not lock: the caller locks.  Sizes are usable sizes,
// except in usize.h.
//
// Read sampler.h, ledger.h, ledger.c and heapfile.c in this order.
#ifndef HPS_CORE_SAMPLER_H
#define HPS_CORE_SAMPLER_H

#include "core/countdown.h"
#include "core/gap.h"

// The sampler of one thread.
struct hps_sampler {
    struct hps_countdown countdown;
    struct hps_random random;
    uint64_t period; // mean bytes between samples
};

// Draw a new gap, as after each sampled object.
static inline void hps_sampler_redraw(struct hps_sampler *sampler) {
    hps_countdown_start(&sampler->countdown,
                        hps_gap_geometric(&sampler->random, sampler->period));
}

// Start a sampler; `random` is copied.
static inline void hps_sampler_init(struct hps_sampler *sampler, uint64_t period,
                                    const struct hps_random *random) {
    sampler->period = period;
    sampler->random = *random;
    hps_sampler_redraw(sampler);
}

// Count the next object.  Returns whether it is sampled.
static inline bool hps_sampler_takes(struct hps_sampler *sampler, uint64_t size) {
    if (!hps_countdown_hits(&sampler->countdown, size)) {
        return false;
    }
    hps_sampler_redraw(sampler);
    return true;
}

// Number of the next `count` objects of one size that precede a sampled one.  They are
// counted as passed; if fewer than `count` are returned, the next object is sampled.
static inline uint64_t hps_sampler_pass(struct hps_sampler *sampler, uint64_t size,
                                        uint64_t count) {
    int64_t left = sampler->countdown.left;
    uint64_t safe = left > 0 ? ((uint64_t)left - 1) / size : 0;
    uint64_t passed = safe < count ? safe : count;
    sampler->countdown.left = left - (int64_t)(passed * size);
    return passed;
}

#endif
