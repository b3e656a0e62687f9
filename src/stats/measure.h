// The statistics of one number in a report: its confidence interval, its p-value, and the
// number of samples that it is based on.
//
// This folder holds all statistics.  It reads no dumps and prints nothing.  A .c file
// begins with the formulas that it implements and with their sources; the manual explains
// them in words.
//
// Entry points, by question: hp_interval_of() (how far off can one number be),
// hp_growth_p() and hp_difference_interval() (did it grow between two dumps),
// hp_adjust_significance() (many p-values at once), two_samples.h (do the processes of
// two sides differ), trend.h, onset.h and trend_shape.h (does it grow over a series of
// dumps), lifetime.h and survival.h (how long do objects live), books.h (does the
// accounting of the allocator add up).
//
// Data structures: struct hp_measure is one number with its error, struct hp_interval a
// confidence interval, struct hp_rise a growth with its p-value and lower bound.
//
// Invariants: an interval and the p-value for the same question always agree: the
// interval excludes 0 exactly if p is below its limit.  Where nothing is known, functions
// return NAN or say so.
//
// Read this file first, then distributions.h and gamma_difference.h (the functions below
// all tests), then trend.h with whitening.h, then the others in any order.
#ifndef HP_STATS_MEASURE_H
#define HP_STATS_MEASURE_H

#include "base/error.h"

// An estimated sum and its error.  All members except `max_weight` can be added over
// dumps, stacks and functions.
struct hp_measure {
    double estimate;
    // Upper bound of the estimate over all sizes that the objects may have; at least
    // `estimate`.
    double highest;
    double variance; // upper bound of the variance of the estimate
    double observed; // bytes, or number, of the sampled objects, which is certain
    // Largest weight of one sample; for bytes this is the sample period.
    double max_weight;
    // How much too high the estimate can be, over all sizes that the objects may have.
    double excess;
};

// A confidence interval.
struct hp_interval {
    double low, high;
};

// Return a value with the error that `error` has for the value's metric.
struct hp_measure hp_measure_of(hp_fixed value, const struct hp_error *error,
                                enum hp_metric metric);

// Whether the error is known.  It is unknown for numbers of objects of mixed sizes, or if
// no object was sampled.
bool hp_measure_is_known(const struct hp_error *error, enum hp_metric metric);

// Whether at least the lower end of the interval is known: sizes without a sample can
// only add objects.
bool hp_measure_has_least(const struct hp_error *error, enum hp_metric metric);

// Return the number of equal samples that would have the same error; infinite if there is
// no error.
double hp_effective_samples(struct hp_measure measure);

// Return the variance that sampling leaves in an estimate of bytes in a number of
// objects: hp_variance_of() if all objects have the same size, hp_variance_bound() an
// upper bound for any sizes.
double hp_variance_of(double bytes, double objects, uint64_t period);
double hp_variance_bound(double bytes, double objects, uint64_t period);

// Return the interval of Fay and Feuer (1997), which contains the true value with
// probability `confidence` or more.
struct hp_interval hp_interval_of(struct hp_measure measure, double confidence);

// Return the interval of one of `rows` rows that is shown because it is among the
// largest.  With probability `confidence` the lower ends of all rows hold at the same
// time.
struct hp_interval hp_interval_of_chosen(struct hp_measure measure, double confidence,
                                         double rows);

// Divide a sum by n: return the mean, with its error.
struct hp_measure hp_measure_mean(struct hp_measure sum, double n);

// Return the one-sided p-value of a growth between two independent dumps: the probability
// that sampling alone gives this growth or more.
double hp_growth_p(struct hp_measure before, struct hp_measure after);

// Return the lower bound of the growth at probability 1 - p, 0 < p < 1.  It is above 0
// exactly if hp_growth_p() is less than p.
double hp_least_growth(struct hp_measure before, struct hp_measure after, double p);

// Return the two-sided p-value of a change from its two one-sided p-values.
double hp_two_sided(double growth_p, double shrinkage_p);

// Return the interval of after.estimate - before.estimate for independent dumps.  It
// excludes 0 exactly if the two-sided p-value is less than 1 - confidence.
struct hp_interval hp_difference_interval(struct hp_measure before,
                                          struct hp_measure after, double confidence);

// Replace the p-values p[0 ... count - 1], each from 0 to 1, by the adjusted p-values of
// Benjamini and Hochberg (1995), which control the false discovery rate: among all rows
// with an adjusted p-value of at most q, the expected share of false discoveries is at
// most q.  This is necessary when many p-values are compared: among a thousand stacks
// that did not grow, fifty have a p-value below 1/20.  NAN marks a row that was not
// tested; it remains NAN and is not included.
void hp_adjust_significance(double *p, size_t count);

#endif
