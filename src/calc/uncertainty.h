// The error of estimates, from what a dump tells: see statistics.md 3 in the project's
// design.  Same bits on every machine.
#ifndef HP_CALC_UNCERTAINTY_H
#define HP_CALC_UNCERTAINTY_H

#include "model/error.h"

#include <stdbool.h>

// An estimate of one pair of numbers.
struct hp_unbiased {
    hp_fixed objects, bytes;
    hp_fixed large_bytes;  // of the bytes those in objects of more than HP_LARGE_FROM
    struct hp_error error; // {0} unless the estimator is the best
    bool too_big;          // does not fit
    uint64_t n, size;      // of so many objects of one size, as far as is likely; or 0
};

struct hp_unbiased hp_unbiased_of(double objects, double bytes);

// All return {0} for a period of 1 or less, but for what was observed; *too_big is set when a
// number does not fit.

// n sampled objects of one size, each of which was sampled with probability p.
struct hp_error hp_error_of_one_size(uint64_t n, uint64_t size, double p, uint64_t period,
                                     bool *too_big);

// So many sampled objects, of these bytes at least, whatever their sizes.
struct hp_error hp_error_of_sizes(uint64_t n, uint64_t least_size, double variance,
                                  double objects_variance, bool *too_big);

// An estimate of bytes may be too high, and too low, by so much.
void hp_error_bound(struct hp_error *error, double excess, double hidden, bool *too_big);

// The variance of the bytes that one sampled object of a size stands for.
double hp_variance_of_object(double size, double p);

// Sampled objects of several sizes, added up as they were, and what was estimated of them.
struct hp_error hp_error_of_raw(struct hp_count sampled, double objects, double bytes,
                                uint64_t period, bool *too_big);

// The same rewritten by jemalloc (prof_unbias), and what was estimated.
struct hp_error hp_error_of_rewritten(struct hp_count printed, double objects,
                                      double bytes, uint64_t period, bool *too_big);

// The error of what a writer has estimated: so many objects, or 0 if that is not told, each of `size`
// bytes, of which one was sampled, or 0; perhaps raw numbers, scaled by their mean size.
struct hp_error hp_error_of_scaled(struct hp_count estimate, uint64_t size,
                                   bool may_be_of_means, uint64_t period, bool *too_big);

#endif
