// Draw the gap to the next sample: the number of the next sampled byte, counted from 1.
#ifndef HPS_CORE_GAP_H
#define HPS_CORE_GAP_H

#include "core/random.h"

// The gap of jemalloc: each byte is sampled with chance 1/period, so that gaps are
// Geometric(1/period).  period >= 1; a period of 1 samples every byte.
uint64_t hps_gap_geometric(struct hps_random *random, uint64_t period);

// The gap of gperftools and Go: exponential with mean `period`, rounded up.
uint64_t hps_gap_exponential(struct hps_random *random, uint64_t period);

// The gap of some virtual machines: uniform in 1 ... 2 period.
uint64_t hps_gap_uniform(struct hps_random *random, uint64_t period);

#endif
