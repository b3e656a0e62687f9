// For the table of methods: every byte is sampled with the same chance, and an object stands
// for the period times its sampled bytes.  Three ways to the same distribution.
#ifndef HPS_SIM_METHOD_BYTES_H
#define HPS_SIM_METHOD_BYTES_H

#include "sampler/sim/plan.h"

uint64_t hps_method_bytes_run_coins(const struct hps_plan *plan,
                                    struct hps_random *random,
                                    struct hps_estimate *estimates);
uint64_t hps_method_bytes_run_gaps(const struct hps_plan *plan, struct hps_random *random,
                                   struct hps_estimate *estimates);
uint64_t hps_method_bytes_run_counted(const struct hps_plan *plan,
                                      struct hps_random *random,
                                      struct hps_estimate *estimates);
double hps_method_bytes_variance(const struct hps_plan *plan, uint32_t object);

#endif
