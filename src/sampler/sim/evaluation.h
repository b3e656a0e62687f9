// How good a method is on a workload: many streams, and what the estimates make of them.
#ifndef HPS_SIM_EVALUATION_H
#define HPS_SIM_EVALUATION_H

#include "sampler/sim/method.h"
#include "sampler/sim/workload.h"

// Errors of estimates, in percent of the truth.
struct hps_errors {
    uint64_t count;
    double mean, spread;    // spread: sum of squared distances from the mean
    double squares, fourth; // sums of powers
    double theory;          // what the root of the mean square should be; NAN: no formula
};

struct hps_score {
    struct hps_truth truth;
    struct hps_errors bytes, objects;
};

struct hps_evaluation {
    const struct hps_workload *workload;
    const struct hps_method *method;
    uint64_t streams, interval, walks; // walks of all streams
    struct hps_score total;
    struct hps_score *stacks;
    uint32_t stack_count;
};

void hps_errors_add(struct hps_errors *errors, double error);
double hps_errors_bias_se(const struct hps_errors *errors);
double hps_errors_rmse(const struct hps_errors *errors);
double hps_errors_rmse_se(const struct hps_errors *errors);

// The mean error is further from 0 than 6 standard errors.  Rare large errors that did not
// come up make a measured standard error too small; a theoretical one stands in for it.
bool hps_errors_flagged(const struct hps_errors *errors);

void hps_evaluation_init(struct hps_evaluation *evaluation,
                         const struct hps_workload *workload,
                         const struct hps_plan *plan);
void hps_evaluation_done(struct hps_evaluation *evaluation);

void hps_evaluation_run(struct hps_evaluation *evaluation, const struct hps_plan *plan,
                        uint64_t streams, struct hps_random *random);

// The stack with the largest bias of its bytes, flagged ones before others; NULL if nothing
// is alive.
const struct hps_score *hps_evaluation_worst(const struct hps_evaluation *evaluation);

// Whether the bytes of the total or of any stack are.
bool hps_evaluation_flagged(const struct hps_evaluation *evaluation);

#endif
