// The decision of an allocation sampler: one subtraction and one well-predicted branch.
//
//     if (hps_countdown_hits(&countdown, size)) {
//         ... take the stack ...
//         hps_countdown_start(&countdown, hps_gap_geometric(random, period));
//     }
//
// With geometric gaps an object of S bytes is sampled with chance 1 - (1 - 1/period)^S,
// whatever was allocated before: what is left of the gap is geometric again, and the rest
// of a sampled object is not counted.
#ifndef HPS_CORE_COUNTDOWN_H
#define HPS_CORE_COUNTDOWN_H

#include <stdbool.h>
#include <stdint.h>

struct hps_countdown {
    int64_t left; // bytes up to and with the next sampled one; {0} hits at once
};

// True if the object holds the sampled byte; then start anew before the next one.
static inline bool hps_countdown_hits(struct hps_countdown *countdown, uint64_t size) {
    countdown->left -= (int64_t)size;
    return __builtin_expect(countdown->left <= 0, 0);
}

static inline void hps_countdown_start(struct hps_countdown *countdown, uint64_t gap) {
    countdown->left = (int64_t)gap;
}

#endif
