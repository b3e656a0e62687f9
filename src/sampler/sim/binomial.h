// How many of n trials succeed.
#ifndef HP_SAMPLER_BINOMIAL_H
#define HP_SAMPLER_BINOMIAL_H

#include "sampler/core/random.h"

// 0 <= chance < 1.  Takes time in proportion to the mean.
uint64_t hp_binomial(struct hp_random *random, uint64_t n, double chance);

#endif
