// Ways to choose the objects whose stacks are taken, each with its own estimate of what is
// alive:
//
//     struct hps_plan plan;
//     hps_plan_init(&plan, hps_method_find("geometric"), &layout);
//     ... zero layout.stacks + 1 estimates ...
//     walks = plan.method->run(&plan, &random, estimates);
//     hps_plan_done(&plan);
//
// All are tuned to take as many stacks on the mean as jemalloc's, so that only what they
// make of them differs.
#ifndef HPS_SIM_METHOD_H
#define HPS_SIM_METHOD_H

#include "sampler/core/random.h"
#include "sampler/sim/layout.h"

struct hps_plan;

struct hps_estimate {
    double bytes, objects;
};

struct hps_method {
    const char *name;
    const char *summary; // one line for --help
    bool unbiased;       // by theory, for every stack of every stream
    bool slow;           // looks at every byte
    // The number of the first byte to sample, counted from 1; of samplers with random gaps
    // also that of the next, after the end of a sampled object.  NULL: no such thing.
    uint64_t (*gap)(struct hps_random *random, uint64_t interval);
    // Fill in weights and chances, or another interval than the period; may be NULL.
    void (*prepare)(struct hps_plan *plan);
    // Sample the stream once; the number of stack walks.  estimates[layout->stacks] gets
    // what the dead objects stand for.
    uint64_t (*run)(const struct hps_plan *plan, struct hps_random *random,
                    struct hps_estimate *estimates);
    // Of the bytes estimated for an object; NULL if there is no formula.
    double (*variance)(const struct hps_plan *plan, uint32_t object);
};

struct hps_plan {
    const struct hps_method *method;
    const struct hps_layout *layout;
    uint64_t interval; // mean gap, at first the period
    double *weights; // of each object: the bytes that it stands for when sampled, or NULL
    uint64_t *chances; // of each object: that of being sampled, times 2^64, or NULL
};

// Ends with a row without a name.
extern const struct hps_method hps_methods[];

// NULL if there is none of that name.
const struct hps_method *hps_method_find(const char *name);

// The layout must outlive the plan.
void hps_plan_init(struct hps_plan *plan, const struct hps_method *method,
                   const struct hps_layout *layout);
void hps_plan_done(struct hps_plan *plan);

#endif
