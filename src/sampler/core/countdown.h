// The decision of an allocation sampler: one subtraction and one well-predicted branch.
//
//     if (hp_countdown_hits(&countdown, size)) {
//         ... take the stack ...
//         hp_countdown_start(&countdown, hp_gap_geometric(random, period));
//     }
//
// With geometric gaps an object of S bytes is sampled with chance 1 - (1 - 1/period)^S,
// whatever was allocated before: what is left of the gap is geometric again, and the rest
// of a sampled object is not counted.
#ifndef HP_SAMPLER_COUNTDOWN_H
#define HP_SAMPLER_COUNTDOWN_H

#include <stdbool.h>
#include <stdint.h>

struct hp_countdown {
    int64_t left; // bytes up to and with the next sampled one; {0} hits at once
};

// True if the object holds the sampled byte; then start anew before the next one.
static inline bool hp_countdown_hits(struct hp_countdown *countdown, uint64_t size) {
    countdown->left -= (int64_t)size;
    return __builtin_expect(countdown->left <= 0, 0);
}

static inline void hp_countdown_start(struct hp_countdown *countdown, uint64_t gap) {
    countdown->left = (int64_t)gap;
}

#endif
