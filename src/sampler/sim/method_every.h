// For the table of methods: sampled bytes at a fixed distance n from each other.
#ifndef HPS_SIM_METHOD_EVERY_H
#define HPS_SIM_METHOD_EVERY_H

#include "sampler/sim/plan.h"

// The first sampled byte: the n-th, or any up to that.
uint64_t hps_method_every_phase_fixed(struct hps_random *random, uint64_t interval);
uint64_t hps_method_every_phase_random(struct hps_random *random, uint64_t interval);

// An object stands for n times its sampled bytes.
void hps_method_every_prepare(struct hps_plan *plan);
uint64_t hps_method_every_run(const struct hps_plan *plan, struct hps_random *random,
                              struct hps_estimate *estimates);

// PyPy's "Low Overhead Allocation Sampling" of 2025: the sample point is the end of the
// nursery as far as the allocator knows.  An object that runs into it stands for n bytes,
// however many sample points it covers, and moves the point by n.
void hps_method_nursery_prepare(struct hps_plan *plan);
uint64_t hps_method_nursery_run(const struct hps_plan *plan, struct hps_random *random,
                                struct hps_estimate *estimates);

#endif
