// The estimator of Horvitz and Thompson (1952) from every sampled object's size, and what
// the theory says of its error.  It needs more than a dump tells, and judges what is got
// out of dumps.
//
// An object of S bytes is sampled with chance p = 1 - (1 - 1/period)^S.
#ifndef HPS_SIM_HORVITZ_H
#define HPS_SIM_HORVITZ_H

#include <stdint.h>

struct hps_horvitz {
    uint64_t sampled;      // objects
    double objects, bytes; // estimated
    double variance;       // of `bytes`, estimated without bias
};

// What n sampled objects of the given sizes stand for.
struct hps_horvitz hps_horvitz_of(const uint64_t *sizes, uint64_t n, uint64_t period);

double hps_inclusion(uint64_t size, uint64_t period);

// Variance of the estimated bytes, and of the estimated objects, of one object: S^2 (1-p)/p
// and (1-p)/p.
double hps_bytes_variance(uint64_t size, uint64_t period);
double hps_objects_variance(uint64_t size, uint64_t period);

// The bytes that a sampled object stands for beyond its own: S (1-p)/p.
double hps_unseen_part(uint64_t size, uint64_t period);

// The largest variance that estimates of so many objects and bytes can have, whatever the
// sizes: objects period^2 E(t), E(t) = t^2 / (e^t - 1) up to its maximum, t = mean / period.
double hps_largest_variance(double objects, double bytes, uint64_t period);

#endif
