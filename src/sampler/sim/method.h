// Sampling methods.  A method chooses the objects whose stacks are taken, and estimates
// from them the objects and bytes that are alive:
//
//     struct hps_plan plan;
//     hps_plan_init(&plan, hps_method_find("geometric"), &layout);
//     ... zero layout.stacks + 1 estimates ...
//     walks = plan.method->run(&plan, &random, estimates);
//     hps_plan_done(&plan);
//
// All are tuned to take as many stacks on average as jemalloc's, so that only their
// estimates differ.
#ifndef HPS_SIM_METHOD_H
#define HPS_SIM_METHOD_H

#include "sampler/core/random.h"
#include "sampler/sim/layout.h"

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

// The table; a row without a name ends it.
extern const struct hps_method hps_methods[];

// Find a method; NULL if no method has this name.
const struct hps_method *hps_method_find(const char *name);

// Prepare a method for a layout, which must outlive the plan.
void hps_plan_init(struct hps_plan *plan, const struct hps_method *method,
                   const struct hps_layout *layout);
void hps_plan_done(struct hps_plan *plan);

#endif
