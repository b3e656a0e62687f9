// The best chance of being sampled for each kind of object, when a kind's number of
// allocations and of live objects are known beforehand: least variance of the estimated live
// bytes for a given mean number of samples.
#ifndef HPS_SIM_OPTIMAL_H
#define HPS_SIM_OPTIMAL_H

#include <stddef.h>

struct hps_optimal_kind {
    double size;      // of an object
    double live;      // how many of its objects are alive
    double allocated; // how many ever were, > 0
};

// chances[i] in 0 ... 1, with the sum of allocated x chance equal to `budget`, or less when
// the budget is enough to sample all that may be alive.
void hps_optimal_chances(const struct hps_optimal_kind *kinds, size_t count,
                         double budget, double *chances);

#endif
