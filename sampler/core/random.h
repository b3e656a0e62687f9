// Random numbers for samplers and simulations: xoshiro256++ by Blackman and Vigna
// (prng.di.unimi.it).  It is seeded through splitmix64, so that every seed is a good one.
#ifndef HPS_CORE_RANDOM_H
#define HPS_CORE_RANDOM_H

#include <stdint.h>

// The state of a generator; it is not all zero.
struct hps_random {
    uint64_t state[4];
};

// Initialise a generator; the same seed gives the same numbers on every machine.
void hps_random_init(struct hps_random *random, uint64_t seed);

// Initialise an independent generator for item `n` (a thread, a dump) of those that share
// `seed`.
void hps_random_init_nth(struct hps_random *random, uint64_t seed, uint64_t n);

// 64 random bits.
uint64_t hps_random_next(struct hps_random *random);

// A uniform number in (0, 1], a multiple of 2^-53; its logarithm is finite.
double hps_random_unit(struct hps_random *random);

// A uniform number in 0 ... n - 1; n > 0.
uint64_t hps_random_below(struct hps_random *random, uint64_t n);

#endif
