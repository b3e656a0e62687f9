// Methods that sample bytes at a fixed distance n from each other.
#ifndef HPS_SIM_METHOD_EVERY_H
#define HPS_SIM_METHOD_EVERY_H

#include "sim/plan.h"

// The first sampled byte: number n, or a random one up to n.
uint64_t hps_method_every_phase_fixed(struct hps_random *random, uint64_t interval);
uint64_t hps_method_every_phase_random(struct hps_random *random, uint64_t interval);

// Estimate an object as n times its sampled bytes.
void hps_method_every_prepare(struct hps_plan *plan);
uint64_t hps_method_every_run(const struct hps_plan *plan, struct hps_random *random,
                              struct hps_estimate *estimates);

// PyPy's "Low Overhead Allocation Sampling" (2025): the allocator takes the sample point
// for the end of the nursery.  An object that does not fit before the point is estimated
// as n bytes, however many sample points it covers, and moves the point by n.
void hps_method_nursery_prepare(struct hps_plan *plan);
uint64_t hps_method_nursery_run(const struct hps_plan *plan, struct hps_random *random,
                                struct hps_estimate *estimates);

#endif
