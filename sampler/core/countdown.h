// Decide whether an allocation is sampled, with one subtraction and one well-predicted
// branch:
//
//     if (hps_countdown_hits(&countdown, size)) {
//         ... take the stack ...
//         hps_countdown_start(&countdown, hps_gap_geometric(random, period));
//     }
//
// With geometric gaps, an object of S bytes is sampled with chance 1 - (1 - 1/period)^S,
// whatever was allocated before.  The reason is that the rest of a geometric gap is
// geometric again; the bytes of a sampled object after the sampled byte are not counted.
#ifndef HPS_CORE_COUNTDOWN_H
#define HPS_CORE_COUNTDOWN_H

#include <stdbool.h>
#include <stdint.h>

// The bytes until the next sample, for one thread or one simulated stream.
struct hps_countdown {
    int64_t left; // bytes up to and including the next sampled one; 0: sample at once
};

// Count an allocation.  Returns true if the object contains the sampled byte; then call
// hps_countdown_start() before the next allocation.
static inline bool hps_countdown_hits(struct hps_countdown *countdown, uint64_t size) {
    countdown->left -= (int64_t)size;
    return __builtin_expect(countdown->left <= 0, 0);
}

// Start a countdown; the byte number `gap`, counted from 1, is the next sampled one.
static inline void hps_countdown_start(struct hps_countdown *countdown, uint64_t gap) {
    countdown->left = (int64_t)gap;
}

#endif
