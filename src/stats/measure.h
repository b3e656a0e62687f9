// From exact sums to what a report says of one number: what it can be off by, and how much it
// stands on.  Formulas are those of statistics.md in the project's design; the manual tells
// them in words.
#ifndef HP_STATS_MEASURE_H
#define HP_STATS_MEASURE_H

#include "model/error.h"

// An estimated sum.  All but `max_weight` add up over dumps, stacks and functions.
struct hp_measure {
    double estimate;
    double highest;    // >= estimate: what it may be for all the sizes that it may be of
    double variance;   // a bound of the estimate's
    double observed;   // what was seen itself
    double max_weight; // the most that one sample stands for: the period, for bytes
    double excess;     // what it may be less for all the sizes that it may be of
};

struct hp_interval {
    double low, high;
};

// Of a value of a metric and the error of its column.
struct hp_measure hp_measure_of(hp_fixed value, const struct hp_error *error,
                                enum hp_metric metric);

// False where no one knows: for counts of objects of mixed sizes, or of none that was sampled.
bool hp_measure_is_known(const struct hp_error *error, enum hp_metric metric);

// Whether at least the lower end of its interval is: sizes of which nothing was sampled only add.
bool hp_measure_has_least(const struct hp_error *error, enum hp_metric metric);

// As many equal samples as would leave this error; infinite if there is none.
double hp_effective_samples(struct hp_measure measure);

// The variance that sampling leaves in an estimate of bytes in so many objects: if all have one
// size, and the bound for whatever sizes.
double hp_variance_of(double bytes, double objects, uint64_t period);
double hp_variance_bound(double bytes, double objects, uint64_t period);

// The interval of Fay and Feuer (1997) that holds the truth with probability `confidence` or
// more.
struct hp_interval hp_interval_of(struct hp_measure measure, double confidence);

// Of one of so many rows that is shown because it is the largest: with that probability all of
// them are above the lower end that each would have.
struct hp_interval hp_interval_of_chosen(struct hp_measure measure, double confidence,
                                         double rows);

// Of one of so many, on average.
struct hp_measure hp_measure_mean(struct hp_measure sum, double n);

// The probability that a growth like this from one dump to an independent one, or more, comes
// from sampling alone.
double hp_growth_p(struct hp_measure before, struct hp_measure after);

// The growth that is at least this one with probability 1 - p, 0 < p < 1: above 0 exactly where
// hp_growth_p() is less than p.
double hp_least_growth(struct hp_measure before, struct hp_measure after, double p);

// The probability of as large a change, in whichever direction, from those of one in each.
double hp_two_sided(double growth_p, double shrinkage_p);

// Of after.estimate - before.estimate, in independent dumps: it excludes 0 exactly where the
// two-sided p-value is less than 1 - confidence.
struct hp_interval hp_difference_interval(struct hp_measure before,
                                          struct hp_measure after, double confidence);

// When many p-values are looked at they are worth less: of a thousand stacks that did not grow,
// fifty have one below 1/20.
//
// Turn the p-values p[0 ... count - 1], each from 0 to 1, into those of Benjamini and Hochberg
// (1995): of all that are at most q, no more than the share q is expected to be in vain.  NAN
// stands for what was not tested; it stays, and counts for nothing.
void hp_adjust_significance(double *p, size_t count);

#endif
