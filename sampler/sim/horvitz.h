// The estimator of Horvitz and Thompson (1952), computed from the size of every sampled
// object, and its theoretical error.  It needs more than a dump contains; estimates from
// dumps are compared with it.
//
// An object of S bytes is sampled with probability p = 1 - (1 - 1/period)^S.
#ifndef HPS_SIM_HORVITZ_H
#define HPS_SIM_HORVITZ_H

#include <stdint.h>

// An estimate.
struct hps_horvitz {
    uint64_t sampled;      // number of sampled objects
    double objects, bytes; // estimates
    double variance;       // unbiased estimate of the variance of `bytes`
};

// The estimate from n sampled objects of the given sizes.
struct hps_horvitz hps_horvitz_of(const uint64_t *sizes, uint64_t n, uint64_t period);

// The probability p that an object is sampled.
double hps_inclusion(uint64_t size, uint64_t period);

// Variance of the bytes and of the objects estimated for one object: S^2 (1-p)/p and
// (1-p)/p.
double hps_bytes_variance(uint64_t size, uint64_t period);
double hps_objects_variance(uint64_t size, uint64_t period);

// The bytes that the estimate adds to a sampled object for objects that were not sampled:
// S (1-p)/p.
double hps_unseen_part(uint64_t size, uint64_t period);

// The largest variance that an estimate of these objects and bytes can have, for any
// sizes: objects period^2 E(t), where E(t) = t^2 / (e^t - 1) up to its maximum and t =
// mean size / period.
double hps_largest_variance(double objects, double bytes, uint64_t period);

#endif
