// The error of estimates, computed from the numbers of a dump by the formulas at the top
// of uncertainty.c.  The results have the same bits on every machine.
#ifndef HP_CALC_UNCERTAINTY_H
#define HP_CALC_UNCERTAINTY_H

#include "base/error.h"

#include <stdbool.h>

// The estimate of one pair of counts: the objects and bytes of a stack in one column.
struct hp_unbiased {
    hp_fixed objects, bytes; // in fixed point: see base/values.h
    // Bytes in objects of more than HP_LARGE_FROM; a part of `bytes`.
    hp_fixed large_bytes;
    // Without HP_ESTIMATOR_BEST this is {0}, or contains only the observed bytes and
    // samples.
    struct hp_error error;
    bool too_big; // a number was too large; the estimate is unusable
    // Very likely n sampled objects of `size` bytes each; 0: not of one size.
    uint64_t n, size;
};

// Convert to fixed point, without an error.
struct hp_unbiased hp_unbiased_of(double objects, double bytes);

// Functions for one size, raw and rewritten counts return only the observed bytes and
// samples if the period is 1 or less.  In all functions below *too_big is set if a number
// does not fit, else it is left untouched.

// Return the error of the estimate for `n` sampled objects of `size` bytes; `p` is the
// probability that such an object is sampled.
struct hp_error hp_error_of_one_size(uint64_t n, uint64_t size, double p, uint64_t period,
                                     bool *too_big);

// Return the error of the estimate for `n` sampled objects of any sizes, whose sum is at
// least least_size bytes.  The variances of the estimate, in bytes^2 and objects^2, are
// given by the caller.
struct hp_error hp_error_of_sizes(uint64_t n, uint64_t least_size, double variance,
                                  double objects_variance, bool *too_big);

// Set the bounds of an error: the estimate of bytes may be too high by `excess` and too
// low by `hidden` bytes.
void hp_error_bound(struct hp_error *error, double excess, double hidden, bool *too_big);

// Return the variance of the bytes that one sampled object of `size` bytes represents, in
// bytes^2; p is the probability that such an object is sampled.
double hp_variance_of_object(double size, double p);

// Return the error of the estimate (objects, bytes) that was made from sampled counts,
// which jemalloc did not rewrite, of objects of several sizes.
struct hp_error hp_error_of_raw(struct hp_count sampled, double objects, double bytes,
                                uint64_t period, bool *too_big);

// Return the error of the estimate (objects, bytes) that was made from counts that
// jemalloc rewrote (prof_unbias), of objects of several sizes.
struct hp_error hp_error_of_rewritten(struct hp_count printed, double objects,
                                      double bytes, uint64_t period, bool *too_big);

// Return the error of an estimate that the writer of a profile made. estimate.objects: 0
// if unknown.  `size`: bytes of each object, 0 if unknown; at least one object was
// sampled. may_be_of_means: the estimate may be sampled counts scaled by their mean size.
struct hp_error hp_error_of_scaled(struct hp_count estimate, uint64_t size,
                                   bool may_be_of_means, uint64_t period, bool *too_big);

#endif
