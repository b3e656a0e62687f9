// Random numbers for samplers and simulations: xoshiro256++ of Blackman and Vigna
// (prng.di.unimi.it), seeded through splitmix64, so that every seed is a good one.
#ifndef HP_SAMPLER_RANDOM_H
#define HP_SAMPLER_RANDOM_H

#include <stdint.h>

struct hp_random {
    uint64_t state[4];
};

void hp_random_init(struct hp_random *random, uint64_t seed);

// A generator of its own for item `n` of whatever `seed` is for.
void hp_random_init_nth(struct hp_random *random, uint64_t seed, uint64_t n);

uint64_t hp_random_next(struct hp_random *random);

// Uniform in (0, 1], a multiple of 2^-53: its logarithm is finite.
double hp_random_unit(struct hp_random *random);

// Uniform in 0 ... n - 1; n > 0.
uint64_t hp_random_below(struct hp_random *random, uint64_t n);

#endif
