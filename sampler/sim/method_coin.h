// Methods that decide for each object separately, with probability p; a sampled object is
// estimated as S/p.
#ifndef HPS_SIM_METHOD_COIN_H
#define HPS_SIM_METHOD_COIN_H

#include "sim/plan.h"

// Use the same probability for all objects.
void hps_method_coin_prepare_objects(struct hps_plan *plan);

// Use for each size the probability with the least variance.
void hps_method_coin_prepare_optimal(struct hps_plan *plan);

// Sample with the probabilities of the plan.
uint64_t hps_method_coin_run(const struct hps_plan *plan, struct hps_random *random,
                             struct hps_estimate *estimates);

#endif
