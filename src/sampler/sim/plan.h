// For the methods: what several of them have in common.
#ifndef HP_SAMPLER_PLAN_H
#define HP_SAMPLER_PLAN_H

#include "sampler/sim/method.h"

// An object was sampled and stands for so many bytes.
static inline void hp_plan_credit(const struct hp_plan *plan, uint32_t object,
                                  double bytes, struct hp_estimate *estimates) {
    const struct hp_layout *layout = plan->layout;
    struct hp_estimate *estimate = &estimates[layout->slots[object]];
    estimate->bytes += bytes;
    estimate->objects += bytes / (double)layout->sizes[object];
}

// Weigh each object; `weigh` gives the bytes that one of that size stands for.
void hp_plan_weigh(struct hp_plan *plan,
                   double (*weigh)(uint64_t size, uint64_t interval));

// S (w - S), with w = S/p.
double hp_plan_variance(const struct hp_plan *plan, uint32_t object);

// The least interval for which `walks`, which falls with it, gives no more stack walks than
// jemalloc's sampler takes.
uint64_t hp_plan_tune(const struct hp_plan *plan,
                      double (*walks)(const struct hp_plan *plan, uint64_t interval));

#endif
