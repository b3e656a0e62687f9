// How good a method is on a workload: many streams, and what the estimates make of them.
#ifndef HP_SAMPLER_EVALUATION_H
#define HP_SAMPLER_EVALUATION_H

#include "sampler/sim/method.h"
#include "sampler/sim/workload.h"

// Errors of estimates, in percent of the truth.
struct hp_errors {
    uint64_t count;
    double mean, spread;    // spread: sum of squared distances from the mean
    double squares, fourth; // sums of powers
    double theory;          // what the root of the mean square should be; NAN: no formula
};

struct hp_score {
    struct hp_truth truth;
    struct hp_errors bytes, objects;
};

struct hp_evaluation {
    const struct hp_workload *workload;
    const struct hp_method *method;
    uint64_t streams, interval, walks; // walks of all streams
    struct hp_score total;
    struct hp_score *stacks;
    uint32_t stack_count;
};

void hp_errors_add(struct hp_errors *errors, double error);
double hp_errors_bias_se(const struct hp_errors *errors);
double hp_errors_rmse(const struct hp_errors *errors);
double hp_errors_rmse_se(const struct hp_errors *errors);

// The mean error is further from 0 than 6 standard errors.  Rare large errors that did not
// come up make a measured standard error too small; a theoretical one stands in for it.
bool hp_errors_flagged(const struct hp_errors *errors);

void hp_evaluation_init(struct hp_evaluation *evaluation,
                        const struct hp_workload *workload, const struct hp_plan *plan);
void hp_evaluation_done(struct hp_evaluation *evaluation);

void hp_evaluation_run(struct hp_evaluation *evaluation, const struct hp_plan *plan,
                       uint64_t streams, struct hp_random *random);

// The stack with the largest bias of its bytes, flagged ones before others; NULL if nothing
// is alive.
const struct hp_score *hp_evaluation_worst(const struct hp_evaluation *evaluation);

// Whether the bytes of the total or of any stack are.
bool hp_evaluation_flagged(const struct hp_evaluation *evaluation);

#endif
