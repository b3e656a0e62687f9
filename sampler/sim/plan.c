// The estimate S/p if sampled, else 0, has the variance S^2 (1-p)/p = S (w - S) with w =
// S/p.
#include "sim/plan.h"

#include "sim/resize.h"

#include <stdlib.h>

void hps_plan_init(struct hps_plan *plan, const struct hps_method *method,
                   const struct hps_layout *layout) {
    *plan = (struct hps_plan){
        .method = method,
        .layout = layout,
        .interval = layout->period,
    };
    if (method->prepare) {
        method->prepare(plan);
    }
}

void hps_plan_done(struct hps_plan *plan) {
    free(plan->weights);
    free(plan->chances);
}

void hps_plan_weigh(struct hps_plan *plan,
                    double (*weigh)(uint64_t size, uint64_t interval)) {
    const struct hps_layout *layout = plan->layout;
    plan->weights = hps_resize(NULL, layout->count * sizeof *plan->weights);
    for (uint32_t i = 0; i < layout->count; i++) {
        plan->weights[i] = weigh(layout->sizes[i], plan->interval);
    }
}

double hps_plan_variance(const struct hps_plan *plan, uint32_t object) {
    double size = (double)plan->layout->sizes[object];
    return size * (plan->weights[object] - size);
}

uint64_t hps_plan_tune(const struct hps_plan *plan,
                       double (*walks)(const struct hps_plan *plan, uint64_t interval)) {
    uint64_t good = 1, bad = 0;
    while (walks(plan, good) > plan->layout->walks) {
        bad = good;
        good *= 2;
    }
    while (good - bad > 1) {
        uint64_t middle = bad + (good - bad) / 2;
        if (walks(plan, middle) > plan->layout->walks) {
            bad = middle;
        } else {
            good = middle;
        }
    }
    return good;
}
