// Functions that several methods share.
#ifndef HPS_SIM_PLAN_H
#define HPS_SIM_PLAN_H

#include "sampler/sim/method.h"

// Add the estimate for a sampled object, `bytes`, to its stack.
static inline void hps_plan_credit(const struct hps_plan *plan, uint32_t object,
                                   double bytes, struct hps_estimate *estimates) {
    const struct hps_layout *layout = plan->layout;
    struct hps_estimate *estimate = &estimates[layout->slots[object]];
    estimate->bytes += bytes;
    estimate->objects += bytes / (double)layout->sizes[object];
}

// Set the weight of each object; `weigh` returns the bytes estimated for a sampled object
// of that size.
void hps_plan_weigh(struct hps_plan *plan,
                    double (*weigh)(uint64_t size, uint64_t interval));

// Variance of the bytes estimated for an object: S (w - S), with w = S/p.
double hps_plan_variance(const struct hps_plan *plan, uint32_t object);

// The least interval with at most as many stack walks as jemalloc's sampler.  `walks`
// returns the mean number of stack walks with an interval, and has to be decreasing.
uint64_t hps_plan_tune(const struct hps_plan *plan,
                       double (*walks)(const struct hps_plan *plan, uint64_t interval));

#endif
