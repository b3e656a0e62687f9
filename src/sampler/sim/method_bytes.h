// For the table of methods: every byte is sampled with the same chance, and an object stands
// for the period times its sampled bytes.  Three ways to the same distribution.
#ifndef HP_SAMPLER_METHOD_BYTES_H
#define HP_SAMPLER_METHOD_BYTES_H

#include "sampler/sim/plan.h"

uint64_t hp_method_bytes_run_coins(const struct hp_plan *plan, struct hp_random *random,
                                   struct hp_estimate *estimates);
uint64_t hp_method_bytes_run_gaps(const struct hp_plan *plan, struct hp_random *random,
                                  struct hp_estimate *estimates);
uint64_t hp_method_bytes_run_counted(const struct hp_plan *plan, struct hp_random *random,
                                     struct hp_estimate *estimates);
double hp_method_bytes_variance(const struct hp_plan *plan, uint32_t object);

#endif
