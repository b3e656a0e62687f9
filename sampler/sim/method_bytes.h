// Methods that sample every byte with the same probability.  The estimate for an object
// is the period times the number of its sampled bytes.  The three functions have the same
// distribution.
#ifndef HPS_SIM_METHOD_BYTES_H
#define HPS_SIM_METHOD_BYTES_H

#include "sim/plan.h"

// Toss a coin for each byte.
uint64_t hps_method_bytes_run_coins(const struct hps_plan *plan,
                                    struct hps_random *random,
                                    struct hps_estimate *estimates);

// Draw geometric gaps from sampled byte to sampled byte.
uint64_t hps_method_bytes_run_gaps(const struct hps_plan *plan, struct hps_random *random,
                                   struct hps_estimate *estimates);

// Walk the stack once for each sampled object, and draw the number of its further sampled
// bytes from a binomial distribution.
uint64_t hps_method_bytes_run_counted(const struct hps_plan *plan,
                                      struct hps_random *random,
                                      struct hps_estimate *estimates);

// Variance of the bytes estimated for an object.
double hps_method_bytes_variance(const struct hps_plan *plan, uint32_t object);

#endif
