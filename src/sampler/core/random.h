// Random numbers for samplers and simulations: xoshiro256++ of Blackman and Vigna
// (prng.di.unimi.it), seeded through splitmix64, so that every seed is a good one.
#ifndef HPS_CORE_RANDOM_H
#define HPS_CORE_RANDOM_H

#include <stdint.h>

struct hps_random {
    uint64_t state[4];
};

void hps_random_init(struct hps_random *random, uint64_t seed);

// A generator of its own for item `n` of whatever `seed` is for.
void hps_random_init_nth(struct hps_random *random, uint64_t seed, uint64_t n);

uint64_t hps_random_next(struct hps_random *random);

// Uniform in (0, 1], a multiple of 2^-53: its logarithm is finite.
double hps_random_unit(struct hps_random *random);

// Uniform in 0 ... n - 1; n > 0.
uint64_t hps_random_below(struct hps_random *random, uint64_t n);

#endif
