// Measure how good a sampling method is on a workload: sample it many times, and compare
// estimates with the truth.
#ifndef HPS_SIM_EVALUATION_H
#define HPS_SIM_EVALUATION_H

#include "sim/method.h"
#include "sim/workload.h"

// Statistics of the errors of an estimate, in percent of the truth.
struct hps_errors {
    uint64_t count;
    double mean, spread;    // spread: sum of squared distances from the mean
    double squares, fourth; // sums of the second and fourth powers of errors
    double theory;          // root mean square that theory predicts; NAN: no formula
};

// The truth of a stack or of all, and the errors of its estimates.
struct hps_score {
    struct hps_truth truth;
    struct hps_errors bytes, objects;
};

// Results of a method on a workload.
struct hps_evaluation {
    const struct hps_workload *workload;
    const struct hps_method *method;
    // Number of times that the workload was sampled; interval of the method, in bytes;
    // stack walks in all these samplings.
    uint64_t streams, interval, walks;
    struct hps_score total;
    struct hps_score *stacks;
    uint32_t stack_count;
};

// Add the error of one stream, in percent.
void hps_errors_add(struct hps_errors *errors, double error);

// Standard error of the mean error.
double hps_errors_bias_se(const struct hps_errors *errors);

// Root mean square error, and its standard error.
double hps_errors_rmse(const struct hps_errors *errors);
double hps_errors_rmse_se(const struct hps_errors *errors);

// Whether there is a bias: the mean error differs from 0 by more than 6 standard errors.
// The theoretical standard error is used if it is larger, since the measured one is too
// small if rare large errors have not occurred.
bool hps_errors_flagged(const struct hps_errors *errors);

// Start an evaluation without streams; compute the theoretical errors.
void hps_evaluation_init(struct hps_evaluation *evaluation,
                         const struct hps_workload *workload,
                         const struct hps_plan *plan);
void hps_evaluation_done(struct hps_evaluation *evaluation);

// Sample `streams` times and add the errors.
void hps_evaluation_run(struct hps_evaluation *evaluation, const struct hps_plan *plan,
                        uint64_t streams, struct hps_random *random);

// The stack with the largest bias of bytes; flagged ones precede others.  NULL if no
// object is alive.
const struct hps_score *hps_evaluation_worst(const struct hps_evaluation *evaluation);

// Whether the bytes of the total or of any stack are flagged.
bool hps_evaluation_flagged(const struct hps_evaluation *evaluation);

#endif
