// With q = 1/R and P = 1 - (1-q)^S, sampled objects are estimated as follows:
//
//     geometric gaps     S/P, variance S^2 (1-P)/P
//     geometric gaps     R + S - j, where byte j of the object, from 1, is the first
//                        sampled one; variance R P.  The sum is m + k/q for k
//                        sampled objects and m bytes after the sampled ones
//     exponential gaps   S/(1 - e^(-S/R))
//
// Wald's equation shows that the second has no bias: the estimate is R + S - j if
// sampled, else 0, which is S + sum over j <= min(gap, S) of (hit_j/q - 1).
//
// Gaps uniform in 1 ... 2M have a memory.  Let h(j) be the probability that object j is
// sampled, and let object i occupy the bytes from s(i) to e(i).  Then
//
//     h(i) = sum over j < i of h(j) |{1 ... 2M} in s(i) - e(j) + 1 ... e(i) - e(j)| / 2M
//
// where the start of the program is an object without bytes.
#include "sim/method_gap.h"

#include "core/countdown.h"
#include "sim/horvitz.h"
#include "sim/resize.h"

#include <math.h>
#include <stdlib.h>

// Sample the stream.  A sampled object is estimated by its weight or, if `after` is true,
// as the interval plus its bytes after the sampled one.
static uint64_t run(const struct hps_plan *plan, struct hps_random *random,
                    struct hps_estimate *estimates, bool after) {
    const struct hps_layout *layout = plan->layout;
    uint64_t walks = 0;
    struct hps_countdown countdown;
    hps_countdown_start(&countdown, plan->method->gap(random, plan->interval));
    for (uint32_t i = 0; i < layout->count; i++) {
        if (hps_countdown_hits(&countdown, layout->sizes[i])) {
            double credit = after ? (double)plan->interval + (double)-countdown.left
                                  : plan->weights[i];
            hps_plan_credit(plan, i, credit, estimates);
            hps_countdown_start(&countdown, plan->method->gap(random, plan->interval));
            walks++;
        }
    }
    return walks;
}

uint64_t hps_method_gap_run_weights(const struct hps_plan *plan,
                                    struct hps_random *random,
                                    struct hps_estimate *estimates) {
    return run(plan, random, estimates, false);
}

uint64_t hps_method_gap_run_after(const struct hps_plan *plan, struct hps_random *random,
                                  struct hps_estimate *estimates) {
    return run(plan, random, estimates, true);
}

double hps_method_gap_variance_after(const struct hps_plan *plan, uint32_t object) {
    double period = (double)plan->interval;
    return period * (period - 1) *
           hps_inclusion(plan->layout->sizes[object], plan->interval);
}

// --- weights ------------------------------------------------------------------------

// Bytes estimated for a sampled object, for each distribution.
static double weigh_geometric(uint64_t size, uint64_t period) {
    return (double)size / hps_inclusion(size, period);
}

static double weigh_exponential(uint64_t size, uint64_t period) {
    return (double)size / -expm1(-(double)size / (double)period);
}

static double weigh_max(uint64_t size, uint64_t interval) {
    return (double)(size > interval ? size : interval);
}

void hps_method_gap_prepare_geometric(struct hps_plan *plan) {
    hps_plan_weigh(plan, weigh_geometric);
}

void hps_method_gap_prepare_exponential(struct hps_plan *plan) {
    hps_plan_weigh(plan, weigh_exponential);
}

// --- uniform gaps -------------------------------------------------------------------

// Position where the gap begins that ends in object i or later: the end of object i - 1,
// or 0.
static uint64_t gap_begins(const struct hps_layout *layout, uint32_t i) {
    return i > 0 ? layout->ends[i - 1] : 0;
}

// Probability that a gap begins there.
static double gap_chance(const double *chances, uint32_t i) {
    return i > 0 ? chances[i - 1] : 1;
}

double hps_method_gap_uniform_chances(const struct hps_layout *layout, uint64_t interval,
                                      double *chances) {
    uint64_t longest = 2 * interval;
    uint32_t first = 0; // first gap that may end at any byte of the object
    double sum = 0;     // sum of the probabilities of these gaps
    double walks = 0;
    for (uint32_t i = 0; i < layout->count; i++) {
        double reach = 0;
        sum += gap_chance(chances, i);
        for (; gap_begins(layout, first) + longest < layout->ends[i]; first++) {
            uint64_t end = gap_begins(layout, first) + longest;
            reach += gap_chance(chances, first) * (double)(end - gap_begins(layout, i));
            sum -= gap_chance(chances, first);
        }
        reach += sum * (double)layout->sizes[i];
        chances[i] = reach / (double)longest;
        walks += chances[i];
    }
    return walks;
}

// Mean number of stack walks with uniform gaps.
static double uniform_walks(const struct hps_plan *plan, uint64_t interval) {
    double *chances = hps_resize(NULL, plan->layout->count * sizeof *chances);
    double walks = hps_method_gap_uniform_chances(plan->layout, interval, chances);
    free(chances);
    return walks;
}

void hps_method_gap_prepare_uniform_after(struct hps_plan *plan) {
    plan->interval = hps_plan_tune(plan, uniform_walks);
}

void hps_method_gap_prepare_uniform_max(struct hps_plan *plan) {
    hps_method_gap_prepare_uniform_after(plan);
    hps_plan_weigh(plan, weigh_max);
}

void hps_method_gap_prepare_uniform_exp(struct hps_plan *plan) {
    hps_method_gap_prepare_uniform_after(plan);
    hps_plan_weigh(plan, weigh_exponential);
}
