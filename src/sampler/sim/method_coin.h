// For the table of methods: a coin for each object, which stands for S/p.
#ifndef HPS_SIM_METHOD_COIN_H
#define HPS_SIM_METHOD_COIN_H

#include "sampler/sim/plan.h"

// The same chance for all.
void hps_method_coin_prepare_objects(struct hps_plan *plan);

// The chance of least variance for each size.
void hps_method_coin_prepare_optimal(struct hps_plan *plan);

uint64_t hps_method_coin_run(const struct hps_plan *plan, struct hps_random *random,
                             struct hps_estimate *estimates);

#endif
