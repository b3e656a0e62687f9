// What a sampling method is, how it is applied to a layout, and functions that several
// methods share.
#ifndef HPS_SIM_PLAN_H
#define HPS_SIM_PLAN_H

#include "core/random.h"
#include "sim/layout.h"

struct hps_plan;

// Estimates of one stack.
struct hps_estimate {
    double bytes, objects;
};

// A method; the functions are in method_*.c.
struct hps_method {
    const char *name;
    const char *summary; // one line for --help
    bool unbiased;       // theory says that estimates of every stack have no bias
    bool slow;           // looks at every byte
    // Draw the number of the first byte to sample, counted from 1.  Methods with random
    // gaps also use it after each sampled object.  NULL: the method has no gaps.
    uint64_t (*gap)(struct hps_random *random, uint64_t interval);
    // Set weights, chances or another interval than the period; may be NULL.
    void (*prepare)(struct hps_plan *plan);
    // Sample the stream once; return the number of stack walks.
    // estimates[layout->stacks] gets the estimate for objects that are freed.
    uint64_t (*run)(const struct hps_plan *plan, struct hps_random *random,
                    struct hps_estimate *estimates);
    // Variance of the bytes estimated for an object; NULL if there is no formula.
    double (*variance)(const struct hps_plan *plan, uint32_t object);
};

// A method applied to a layout.
struct hps_plan {
    const struct hps_method *method;
    const struct hps_layout *layout;
    uint64_t interval; // mean gap; initially the period
    // Bytes that each object adds to the estimate if it is sampled; NULL: not used.
    double *weights;
    // Probability that each object is sampled, times 2^64; NULL: not used.
    uint64_t *chances;
};

// Prepare a method for a layout, which must outlive the plan.
void hps_plan_init(struct hps_plan *plan, const struct hps_method *method,
                   const struct hps_layout *layout);
void hps_plan_done(struct hps_plan *plan);

// Add the estimate for a sampled object, `bytes`, to its stack.
static inline void hps_plan_credit(const struct hps_plan *plan, uint32_t object,
                                   double bytes, struct hps_estimate *estimates) {
    const struct hps_layout *layout = plan->layout;
    struct hps_estimate *estimate = &estimates[layout->slots[object]];
    estimate->bytes += bytes;
    estimate->objects += bytes / (double)layout->sizes[object];
}

// Set the weight of each object; `weigh` returns the bytes estimated for a sampled object
// of that size.
void hps_plan_weigh(struct hps_plan *plan,
                    double (*weigh)(uint64_t size, uint64_t interval));

// Variance of the bytes estimated for an object: S (w - S), with w = S/p.
double hps_plan_variance(const struct hps_plan *plan, uint32_t object);

// The least interval with at most as many stack walks as jemalloc's sampler.  `walks`
// returns the mean number of stack walks with an interval, and has to be decreasing.
uint64_t hps_plan_tune(const struct hps_plan *plan,
                       double (*walks)(const struct hps_plan *plan, uint64_t interval));

#endif
