// The table of sampling methods.  A method chooses the objects whose stacks are taken, and
// estimates from them the objects and bytes that are alive:
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

#include "sim/plan.h"

// The table; a row without a name ends it.
extern const struct hps_method hps_methods[];

// Find a method; NULL if no method has this name.
const struct hps_method *hps_method_find(const char *name);

#endif
