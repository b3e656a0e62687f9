#include "sim/method.h"

#include "core/gap.h"
#include "sim/method_bytes.h"
#include "sim/method_coin.h"
#include "sim/method_every.h"
#include "sim/method_gap.h"

#include <string.h>

// The methods, see their summaries.  R or period: mean bytes between samples; M: mean
// gap; S: size; p: probability.
const struct hps_method hps_methods[] = {
    {.name = "geometric",
     .summary = "jemalloc: geometric gaps, S/p",
     .unbiased = true,
     .gap = hps_gap_geometric,
     .prepare = hps_method_gap_prepare_geometric,
     .run = hps_method_gap_run_weights,
     .variance = hps_plan_variance},
    {.name = "geometric-after",
     .summary = "tcmalloc, jemalloc's issue 1751: geometric gaps, period + bytes after",
     .unbiased = true,
     .gap = hps_gap_geometric,
     .run = hps_method_gap_run_after,
     .variance = hps_method_gap_variance_after},
    {.name = "bytes-coins",
     .summary = "a coin for every byte, period for each head",
     .unbiased = true,
     .slow = true,
     .run = hps_method_bytes_run_coins,
     .variance = hps_method_bytes_variance},
    {.name = "bytes-gaps",
     .summary = "the same by geometric gaps from sampled byte to sampled byte",
     .unbiased = true,
     .run = hps_method_bytes_run_gaps,
     .variance = hps_method_bytes_variance},
    {.name = "bytes-counted",
     .summary = "the same by one stack walk with the number of sampled bytes",
     .unbiased = true,
     .run = hps_method_bytes_run_counted,
     .variance = hps_method_bytes_variance},
    {.name = "objects",
     .summary = "one in N allocations",
     .unbiased = true,
     .prepare = hps_method_coin_prepare_objects,
     .run = hps_method_coin_run,
     .variance = hps_plan_variance},
    {.name = "every",
     .summary = "every n-th byte",
     .gap = hps_method_every_phase_fixed,
     .prepare = hps_method_every_prepare,
     .run = hps_method_every_run},
    {.name = "every-random",
     .summary = "every n-th byte from a random one on",
     .unbiased = true,
     .gap = hps_method_every_phase_random,
     .prepare = hps_method_every_prepare,
     .run = hps_method_every_run},
    {.name = "nursery",
     .summary = "PyPy: a nursery that ends early after n bytes",
     .gap = hps_method_every_phase_fixed,
     .prepare = hps_method_nursery_prepare,
     .run = hps_method_nursery_run},
    {.name = "nursery-random",
     .summary = "the same, first after a random number of bytes",
     .gap = hps_method_every_phase_random,
     .prepare = hps_method_nursery_prepare,
     .run = hps_method_nursery_run},
    {.name = "uniform-max",
     .summary = "gaps uniform up to 2M, max(S, M)",
     .gap = hps_gap_uniform,
     .prepare = hps_method_gap_prepare_uniform_max,
     .run = hps_method_gap_run_weights},
    {.name = "uniform-exp",
     .summary = "gaps uniform up to 2M, S/(1 - e^(-S/M))",
     .gap = hps_gap_uniform,
     .prepare = hps_method_gap_prepare_uniform_exp,
     .run = hps_method_gap_run_weights},
    {.name = "uniform-after",
     .summary = "gaps uniform up to 2M, M + bytes after",
     .gap = hps_gap_uniform,
     .prepare = hps_method_gap_prepare_uniform_after,
     .run = hps_method_gap_run_after},
    {.name = "exponential",
     .summary = "gperftools: exponential gaps, S/p",
     .unbiased = true,
     .gap = hps_gap_exponential,
     .prepare = hps_method_gap_prepare_exponential,
     .run = hps_method_gap_run_weights,
     .variance = hps_plan_variance},
    {.name = "optimal",
     .summary = "the best chance for each size, knowing what will be alive",
     .unbiased = true,
     .prepare = hps_method_coin_prepare_optimal,
     .run = hps_method_coin_run,
     .variance = hps_plan_variance},
    {0},
};

const struct hps_method *hps_method_find(const char *name) {
    const struct hps_method *method = hps_methods;
    while (method->name && strcmp(method->name, name) != 0) {
        method++;
    }
    return method->name ? method : NULL;
}
