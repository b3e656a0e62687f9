// For the table of methods: a countdown of bytes that starts anew, with a random gap, after
// each object that it hits.
#ifndef HP_SAMPLER_METHOD_GAP_H
#define HP_SAMPLER_METHOD_GAP_H

#include "sampler/sim/plan.h"

void hp_method_gap_prepare_geometric(struct hp_plan *plan);
void hp_method_gap_prepare_exponential(struct hp_plan *plan);
void hp_method_gap_prepare_uniform_max(struct hp_plan *plan);
void hp_method_gap_prepare_uniform_exp(struct hp_plan *plan);
void hp_method_gap_prepare_uniform_after(struct hp_plan *plan);

// A sampled object stands for its weight.
uint64_t hp_method_gap_run_weights(const struct hp_plan *plan, struct hp_random *random,
                                   struct hp_estimate *estimates);

// A sampled object stands for the interval and the bytes after the sampled one.
uint64_t hp_method_gap_run_after(const struct hp_plan *plan, struct hp_random *random,
                                 struct hp_estimate *estimates);
double hp_method_gap_variance_after(const struct hp_plan *plan, uint32_t object);

// The chance of each object to be sampled with gaps uniform in 1 ... 2 interval.  Their sum.
double hp_method_gap_uniform_chances(const struct hp_layout *layout, uint64_t interval,
                                     double *chances);

#endif
