// Every n-th byte from a random one on: an object of S bytes contains S/n sampled bytes
// on average, and at least one with probability min(1, S/n), whatever precedes it.
//
// The nursery is filled from its start up to `top`, which is the sample point or its end,
// whichever comes first.  If an object does not fit and `top` is the sample point, the
// object is sampled and the point moves on by n.  If it still does not fit, the nursery
// is emptied, and the distance to the sample point is kept.  Objects larger than the
// nursery are also allocated there.
#include "sim/method_every.h"

uint64_t hps_method_every_phase_fixed(struct hps_random *random, uint64_t interval) {
    (void)random;
    return interval;
}

uint64_t hps_method_every_phase_random(struct hps_random *random, uint64_t interval) {
    return hps_random_below(random, interval) + 1;
}

// Mean number of stack walks with sampled bytes at this distance.
static double every_walks(const struct hps_plan *plan, uint64_t interval) {
    const struct hps_layout *layout = plan->layout;
    double walks = 0;
    for (uint32_t i = 0; i < layout->count; i++) {
        double share = (double)layout->sizes[i] / (double)interval;
        walks += share < 1 ? share : 1;
    }
    return walks;
}

void hps_method_every_prepare(struct hps_plan *plan) {
    uint64_t interval = plan->layout->interval;
    plan->interval = interval ? interval : hps_plan_tune(plan, every_walks);
}

uint64_t hps_method_every_run(const struct hps_plan *plan, struct hps_random *random,
                              struct hps_estimate *estimates) {
    const struct hps_layout *layout = plan->layout;
    int64_t interval = (int64_t)plan->interval;
    int64_t left = (int64_t)plan->method->gap(random, plan->interval);
    uint64_t walks = 0;
    for (uint32_t i = 0; i < layout->count; i++) {
        left -= (int64_t)layout->sizes[i];
        if (left <= 0) {
            int64_t covered = (-left / interval + 1) * interval;
            hps_plan_credit(plan, i, (double)covered, estimates);
            left += covered;
            walks++;
        }
    }
    return walks;
}

// --- the nursery --------------------------------------------------------------------

enum {
    // 4 MiB for a period of 32 KiB, the highest rate in the article.
    NURSERY_PERIODS = 128,
};

// State of the nursery, in bytes from its start.
struct nursery {
    int64_t end, free, top;
    int64_t point; // the next sample; if less than `free`, the next object is sampled
    int64_t interval;
};

// Set `top` after one of its bounds has changed.
static void set_top(struct nursery *nursery) {
    nursery->top = nursery->point < nursery->end ? nursery->point : nursery->end;
}

// Empty nursery; byte number `first` is the first sample.
static void nursery_init(struct nursery *nursery, const struct hps_plan *plan,
                         uint64_t interval, uint64_t first) {
    *nursery = (struct nursery){
        .end = NURSERY_PERIODS * (int64_t)plan->layout->period,
        // An object that ends at the point does not contain the sampled byte.
        .point = (int64_t)first - 1,
        .interval = (int64_t)interval,
    };
    set_top(nursery);
}

// Allocate an object.  Returns true if it is sampled.
static bool allocate(struct nursery *nursery, uint64_t size) {
    int64_t end = nursery->free + (int64_t)size;
    bool sampled = end > nursery->top && nursery->top == nursery->point;
    if (sampled) {
        nursery->point += nursery->interval;
        set_top(nursery);
    }
    if (end > nursery->top) {
        nursery->point -= nursery->free;
        nursery->free = 0;
        set_top(nursery);
    }
    nursery->free += (int64_t)size;
    return sampled;
}

// Mean number of stack walks, for first sample points that are evenly spread.
static double nursery_walks(const struct hps_plan *plan, uint64_t interval) {
    enum {
        PHASES = 64,
    };
    const struct hps_layout *layout = plan->layout;
    uint64_t walks = 0;
    for (uint64_t phase = 0; phase < PHASES; phase++) {
        struct nursery nursery;
        nursery_init(&nursery, plan, interval,
                     1 + (2 * phase + 1) * interval / (2 * PHASES));
        for (uint32_t i = 0; i < layout->count; i++) {
            walks += allocate(&nursery, layout->sizes[i]);
        }
    }
    return (double)walks / PHASES;
}

void hps_method_nursery_prepare(struct hps_plan *plan) {
    uint64_t interval = plan->layout->interval;
    plan->interval = interval ? interval : hps_plan_tune(plan, nursery_walks);
}

uint64_t hps_method_nursery_run(const struct hps_plan *plan, struct hps_random *random,
                                struct hps_estimate *estimates) {
    const struct hps_layout *layout = plan->layout;
    struct nursery nursery;
    nursery_init(&nursery, plan, plan->interval,
                 plan->method->gap(random, plan->interval));
    uint64_t walks = 0;
    for (uint32_t i = 0; i < layout->count; i++) {
        if (allocate(&nursery, layout->sizes[i])) {
            hps_plan_credit(plan, i, (double)plan->interval, estimates);
            walks++;
        }
    }
    return walks;
}
