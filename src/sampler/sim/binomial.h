// How many of n trials succeed.
#ifndef HPS_SIM_BINOMIAL_H
#define HPS_SIM_BINOMIAL_H

#include "sampler/core/random.h"

// 0 <= chance < 1.  Takes time in proportion to the mean.
uint64_t hps_binomial(struct hps_random *random, uint64_t n, double chance);

#endif
