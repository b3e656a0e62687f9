// Methods with a countdown of bytes that is started again, with a random gap, after each
// object that it hits.
#ifndef HPS_SIM_METHOD_GAP_H
#define HPS_SIM_METHOD_GAP_H

#include "sim/plan.h"

// Compute the weights for each distribution of gaps and each formula.
void hps_method_gap_prepare_geometric(struct hps_plan *plan);
void hps_method_gap_prepare_exponential(struct hps_plan *plan);
void hps_method_gap_prepare_uniform_max(struct hps_plan *plan);
void hps_method_gap_prepare_uniform_exp(struct hps_plan *plan);
void hps_method_gap_prepare_uniform_after(struct hps_plan *plan);

// Estimate a sampled object by its weight.
uint64_t hps_method_gap_run_weights(const struct hps_plan *plan,
                                    struct hps_random *random,
                                    struct hps_estimate *estimates);

// Estimate a sampled object as the interval plus its bytes after the sampled one.
uint64_t hps_method_gap_run_after(const struct hps_plan *plan, struct hps_random *random,
                                  struct hps_estimate *estimates);
double hps_method_gap_variance_after(const struct hps_plan *plan, uint32_t object);

// Compute the probability of each object to be sampled with gaps uniform in 1 ... 2
// interval.  Returns their sum.
double hps_method_gap_uniform_chances(const struct hps_layout *layout, uint64_t interval,
                                      double *chances);

#endif
