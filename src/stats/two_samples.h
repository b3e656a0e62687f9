// Whether the values of two samples have different means: tests on the values of
// processes, or on the logarithms of the values if processes differ by factors.
#ifndef HP_STATS_TWO_SAMPLES_H
#define HP_STATS_TWO_SAMPLES_H

#include "stats/measure.h"

#include <stddef.h>

// A sample of independent values, as sums.  Each value has a weight: the number of values
// that it is the mean of.
struct hp_scatter {
    size_t count;
    double weight; // sum of the weights
    // Sum of the values, and of their squares, each multiplied by the weight.
    double sum, squares;
};

// Add a value to a sample.
void hp_scatter_add(struct hp_scatter *sample, double value, double weight);

// Extend a sample with values of 0 to `count` values with the total weight `weight`.
void hp_scatter_fill(struct hp_scatter *sample, size_t count, double weight);

// Return the variance of values of weight 1; 0 for a single value.
double hp_scatter_variance(const struct hp_scatter *sample);

// The difference of two means (the second minus the first), its standard error, and the
// degrees of freedom of Student's t, by which it is tested.  {0}: there is none.
struct hp_contrast {
    double difference, sd, freedom;
};

// Compare two means, the second minus the first.  hp_pooled_contrast() assumes the same
// variance in both samples; one of them may have a single value if the other has several.
// hp_welch_contrast() uses a variance for each, and needs two or more values in each.
struct hp_contrast hp_pooled_contrast(const struct hp_scatter samples[2]);
struct hp_contrast hp_welch_contrast(const struct hp_scatter samples[2]);

// Return the one-sided p-value of the growth, or of the shrinkage.
double hp_contrast_growth_p(const struct hp_contrast *contrast);
double hp_contrast_shrinkage_p(const struct hp_contrast *contrast);

// Return the interval of the difference.  It excludes 0 exactly if one of the two
// p-values is below half of 1 - confidence.
struct hp_interval hp_contrast_interval(const struct hp_contrast *contrast,
                                        double confidence);

// The factor between the second and the first sample, computed from logarithms of values.
struct hp_ratio {
    struct hp_contrast tests[2]; // tests that all have to be significant
    // Number of tests; 0: there are fewer than three values, or a sample has none.
    size_t count;
    double center;    // the mean of all values, if they had the same distribution
    double shares[2]; // shares of the two samples in the total weight
};

// Compare two samples of logarithms.  `unit` is the value with the logarithm 0.
struct hp_ratio hp_ratio_of_logs(const struct hp_scatter logs[2], double unit);

// Return the largest p-value of all tests of the ratio.
double hp_ratio_growth_p(const struct hp_ratio *ratio);
double hp_ratio_shrinkage_p(const struct hp_ratio *ratio);

// Return the interval of the change, in the unit of the values and relative to their
// common mean: every change that at least one test does not exclude.
struct hp_interval hp_ratio_interval(const struct hp_ratio *ratio, double confidence);

#endif
