// For the methods: what several of them have in common.
#ifndef HPS_SIM_PLAN_H
#define HPS_SIM_PLAN_H

#include "sampler/sim/method.h"

// An object was sampled and stands for so many bytes.
static inline void hps_plan_credit(const struct hps_plan *plan, uint32_t object,
                                   double bytes, struct hps_estimate *estimates) {
    const struct hps_layout *layout = plan->layout;
    struct hps_estimate *estimate = &estimates[layout->slots[object]];
    estimate->bytes += bytes;
    estimate->objects += bytes / (double)layout->sizes[object];
}

// Weigh each object; `weigh` gives the bytes that one of that size stands for.
void hps_plan_weigh(struct hps_plan *plan,
                    double (*weigh)(uint64_t size, uint64_t interval));

// S (w - S), with w = S/p.
double hps_plan_variance(const struct hps_plan *plan, uint32_t object);

// The least interval for which `walks`, which falls with it, gives no more stack walks than
// jemalloc's sampler takes.
uint64_t hps_plan_tune(const struct hps_plan *plan,
                       double (*walks)(const struct hps_plan *plan, uint64_t interval));

#endif
