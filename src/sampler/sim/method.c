#include "sampler/sim/method.h"

#include "sampler/core/gap.h"
#include "sampler/sim/method_bytes.h"
#include "sampler/sim/method_coin.h"
#include "sampler/sim/method_every.h"
#include "sampler/sim/method_gap.h"

#include <stdlib.h>
#include <string.h>

const struct hp_method hp_methods[] = {
    {.name = "geometric",
     .summary = "jemalloc: geometric gaps, S/p",
     .unbiased = true,
     .gap = hp_gap_geometric,
     .prepare = hp_method_gap_prepare_geometric,
     .run = hp_method_gap_run_weights,
     .variance = hp_plan_variance},
    {.name = "geometric-after",
     .summary = "tcmalloc, jemalloc's issue 1751: geometric gaps, period + bytes after",
     .unbiased = true,
     .gap = hp_gap_geometric,
     .run = hp_method_gap_run_after,
     .variance = hp_method_gap_variance_after},
    {.name = "bytes-coins",
     .summary = "a coin for every byte, period for each head",
     .unbiased = true,
     .slow = true,
     .run = hp_method_bytes_run_coins,
     .variance = hp_method_bytes_variance},
    {.name = "bytes-gaps",
     .summary = "the same by geometric gaps from sampled byte to sampled byte",
     .unbiased = true,
     .run = hp_method_bytes_run_gaps,
     .variance = hp_method_bytes_variance},
    {.name = "bytes-counted",
     .summary = "the same by one stack walk with the number of sampled bytes",
     .unbiased = true,
     .run = hp_method_bytes_run_counted,
     .variance = hp_method_bytes_variance},
    {.name = "objects",
     .summary = "one in N allocations",
     .unbiased = true,
     .prepare = hp_method_coin_prepare_objects,
     .run = hp_method_coin_run,
     .variance = hp_plan_variance},
    {.name = "every",
     .summary = "every n-th byte",
     .gap = hp_method_every_phase_fixed,
     .prepare = hp_method_every_prepare,
     .run = hp_method_every_run},
    {.name = "every-random",
     .summary = "every n-th byte from a random one on",
     .unbiased = true,
     .gap = hp_method_every_phase_random,
     .prepare = hp_method_every_prepare,
     .run = hp_method_every_run},
    {.name = "nursery",
     .summary = "PyPy: a nursery that ends early after n bytes",
     .gap = hp_method_every_phase_fixed,
     .prepare = hp_method_nursery_prepare,
     .run = hp_method_nursery_run},
    {.name = "nursery-random",
     .summary = "the same, first after a random number of bytes",
     .gap = hp_method_every_phase_random,
     .prepare = hp_method_nursery_prepare,
     .run = hp_method_nursery_run},
    {.name = "uniform-max",
     .summary = "gaps uniform up to 2M, max(S, M)",
     .gap = hp_gap_uniform,
     .prepare = hp_method_gap_prepare_uniform_max,
     .run = hp_method_gap_run_weights},
    {.name = "uniform-exp",
     .summary = "gaps uniform up to 2M, S/(1 - e^(-S/M))",
     .gap = hp_gap_uniform,
     .prepare = hp_method_gap_prepare_uniform_exp,
     .run = hp_method_gap_run_weights},
    {.name = "uniform-after",
     .summary = "gaps uniform up to 2M, M + bytes after",
     .gap = hp_gap_uniform,
     .prepare = hp_method_gap_prepare_uniform_after,
     .run = hp_method_gap_run_after},
    {.name = "exponential",
     .summary = "gperftools: exponential gaps, S/p",
     .unbiased = true,
     .gap = hp_gap_exponential,
     .prepare = hp_method_gap_prepare_exponential,
     .run = hp_method_gap_run_weights,
     .variance = hp_plan_variance},
    {.name = "optimal",
     .summary = "the best chance for each size, knowing what will be alive",
     .unbiased = true,
     .prepare = hp_method_coin_prepare_optimal,
     .run = hp_method_coin_run,
     .variance = hp_plan_variance},
    {0},
};

const struct hp_method *hp_method_find(const char *name) {
    const struct hp_method *method = hp_methods;
    while (method->name && strcmp(method->name, name) != 0) {
        method++;
    }
    return method->name ? method : NULL;
}

void hp_plan_init(struct hp_plan *plan, const struct hp_method *method,
                  const struct hp_layout *layout) {
    *plan = (struct hp_plan){
        .method = method,
        .layout = layout,
        .interval = layout->period,
    };
    if (method->prepare) {
        method->prepare(plan);
    }
}

void hp_plan_done(struct hp_plan *plan) {
    free(plan->weights);
    free(plan->chances);
}
