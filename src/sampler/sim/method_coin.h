// For the table of methods: a coin for each object, which stands for S/p.
#ifndef HP_SAMPLER_METHOD_COIN_H
#define HP_SAMPLER_METHOD_COIN_H

#include "sampler/sim/plan.h"

// The same chance for all.
void hp_method_coin_prepare_objects(struct hp_plan *plan);

// The chance of least variance for each size.
void hp_method_coin_prepare_optimal(struct hp_plan *plan);

uint64_t hp_method_coin_run(const struct hp_plan *plan, struct hp_random *random,
                            struct hp_estimate *estimates);

#endif
