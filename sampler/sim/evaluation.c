// The errors e of n streams, with the mean b, have
//
//     SE(b) = sd(e) / sqrt n
//     RMSE = sqrt(mean e^2), SE(RMSE) = sqrt((mean e^4 - (mean e^2)^2) / n) / (2 RMSE)
#include "sim/evaluation.h"

#include "sim/resize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void hps_errors_add(struct hps_errors *errors, double error) {
    // Welford's method: the spread is exactly 0 if all errors are equal.
    errors->count++;
    double before = error - errors->mean;
    errors->mean += before / (double)errors->count;
    errors->spread += before * (error - errors->mean);
    errors->squares += error * error;
    errors->fourth += error * error * error * error;
}

double hps_errors_bias_se(const struct hps_errors *errors) {
    double n = (double)errors->count;
    double measured = n > 1 ? sqrt(errors->spread / (n - 1) / n) : INFINITY;
    return isnan(errors->theory) ? measured : fmax(measured, errors->theory / sqrt(n));
}

double hps_errors_rmse(const struct hps_errors *errors) {
    return sqrt(errors->squares / (double)errors->count);
}

double hps_errors_rmse_se(const struct hps_errors *errors) {
    double n = (double)errors->count;
    double square = errors->squares / n;
    double variance = fmax(0, errors->fourth / n - square * square) / n;
    return square > 0 ? sqrt(variance) / (2 * sqrt(square)) : 0;
}

bool hps_errors_flagged(const struct hps_errors *errors) {
    static const double rounding = 1e-9;
    return fabs(errors->mean) > rounding &&
           fabs(errors->mean) > 6 * hps_errors_bias_se(errors);
}

// --- theory -------------------------------------------------------------------------

// Set the theoretical errors from the variances of bytes and objects.
static void set_theory(struct hps_score *score, double bytes, double objects) {
    const struct hps_truth *truth = &score->truth;
    score->bytes.theory = 100 * sqrt(bytes) / (double)truth->live_bytes;
    score->objects.theory = 100 * sqrt(objects) / (double)truth->live_objects;
}

// Compute the theoretical errors.  Objects are sampled independently, so that their
// variances add up; the estimates of bytes and of objects differ by the factor of the
// size.
static void theorize(struct hps_evaluation *evaluation, const struct hps_plan *plan) {
    const struct hps_layout *layout = plan->layout;
    double(*sums)[2] = hps_resize(NULL, (layout->stacks + 1) * sizeof *sums);
    memset(sums, 0, (layout->stacks + 1) * sizeof *sums);
    double total[2] = {0};
    for (uint32_t i = 0; i < layout->count; i++) {
        if (layout->slots[i] < layout->stacks) {
            double size = (double)layout->sizes[i];
            double bytes = plan->method->variance ? plan->method->variance(plan, i) : NAN;
            sums[layout->slots[i]][0] += bytes;
            sums[layout->slots[i]][1] += bytes / (size * size);
            total[0] += bytes;
            total[1] += bytes / (size * size);
        }
    }
    for (uint32_t i = 0; i < layout->stacks; i++) {
        set_theory(&evaluation->stacks[i], sums[i][0], sums[i][1]);
    }
    set_theory(&evaluation->total, total[0], total[1]);
    free(sums);
}

// --- measurement -----------------------------------------------------------------------

void hps_evaluation_init(struct hps_evaluation *evaluation,
                         const struct hps_workload *workload,
                         const struct hps_plan *plan) {
    const struct hps_layout *layout = plan->layout;
    *evaluation = (struct hps_evaluation){
        .workload = workload,
        .method = plan->method,
        .interval = plan->interval,
        .stacks = hps_resize(NULL, layout->stacks * sizeof *evaluation->stacks),
        .stack_count = layout->stacks,
    };
    for (uint32_t i = 0; i < layout->stacks; i++) {
        evaluation->stacks[i] = (struct hps_score){.truth = layout->truths[i]};
        evaluation->total.truth.live_bytes += layout->truths[i].live_bytes;
        evaluation->total.truth.live_objects += layout->truths[i].live_objects;
    }
    theorize(evaluation, plan);
}

void hps_evaluation_done(struct hps_evaluation *evaluation) {
    free(evaluation->stacks);
}

// Add the error of an estimate, if any object is alive.
static void score(struct hps_score *score, struct hps_estimate estimate) {
    if (score->truth.live_objects > 0) {
        double bytes = estimate.bytes / (double)score->truth.live_bytes;
        double objects = estimate.objects / (double)score->truth.live_objects;
        hps_errors_add(&score->bytes, 100 * (bytes - 1));
        hps_errors_add(&score->objects, 100 * (objects - 1));
    }
}

void hps_evaluation_run(struct hps_evaluation *evaluation, const struct hps_plan *plan,
                        uint64_t streams, struct hps_random *random) {
    uint32_t stacks = evaluation->stack_count;
    size_t size = (stacks + 1) * sizeof(struct hps_estimate);
    struct hps_estimate *estimates = hps_resize(NULL, size);
    for (uint64_t n = 0; n < streams; n++) {
        memset(estimates, 0, size);
        evaluation->walks += plan->method->run(plan, random, estimates);
        struct hps_estimate total = {0};
        for (uint32_t i = 0; i < stacks; i++) {
            score(&evaluation->stacks[i], estimates[i]);
            total.bytes += estimates[i].bytes;
            total.objects += estimates[i].objects;
        }
        score(&evaluation->total, total);
    }
    evaluation->streams += streams;
    free(estimates);
}

// Whether the bias of one stack is worse: flagged, or larger.
static bool worse(const struct hps_score *score, const struct hps_score *than) {
    bool mine = hps_errors_flagged(&score->bytes),
         others = hps_errors_flagged(&than->bytes);
    return mine != others ? mine : fabs(score->bytes.mean) > fabs(than->bytes.mean);
}

const struct hps_score *hps_evaluation_worst(const struct hps_evaluation *evaluation) {
    const struct hps_score *worst = NULL;
    for (uint32_t i = 0; i < evaluation->stack_count; i++) {
        const struct hps_score *stack = &evaluation->stacks[i];
        if (stack->truth.live_objects > 0 && (!worst || worse(stack, worst))) {
            worst = stack;
        }
    }
    return worst;
}

bool hps_evaluation_flagged(const struct hps_evaluation *evaluation) {
    const struct hps_score *worst = hps_evaluation_worst(evaluation);
    return hps_errors_flagged(&evaluation->total.bytes) ||
           (worst && hps_errors_flagged(&worst->bytes));
}
