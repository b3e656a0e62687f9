// The best sampling probability for each kind of object, if the number of its allocations
// and of its live objects is known beforehand: the variance of the estimated live bytes
// is minimal for a given mean number of samples.
#ifndef HPS_SIM_OPTIMAL_H
#define HPS_SIM_OPTIMAL_H

#include <stddef.h>

// A kind of object.
struct hps_optimal_kind {
    double size;      // bytes of an object
    double live;      // number of objects that are alive
    double allocated; // number of objects ever allocated, > 0
};

// Compute chances[i] in 0 ... 1.  The sum of allocated x chance is `budget`, or less if
// all objects that may be alive can be sampled with less.
void hps_optimal_chances(const struct hps_optimal_kind *kinds, size_t count,
                         double budget, double *chances);

#endif
