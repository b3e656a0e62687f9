// Draw from the binomial distribution.
#ifndef HPS_SIM_BINOMIAL_H
#define HPS_SIM_BINOMIAL_H

#include "core/random.h"

// Number of successes in n trials, with 0 <= chance < 1.  The time is proportional to the
// mean.
uint64_t hps_binomial(struct hps_random *random, uint64_t n, double chance);

#endif
