// Whether what one sample of values is of has another mean than what the other is of: tests
// of the values of processes, or of their logarithms, where processes differ by factors.
#ifndef HP_STATS_TWO_SAMPLES_H
#define HP_STATS_TWO_SAMPLES_H

#include "stats/measure.h"

#include <stddef.h>

// Numbers that are independent of one another, each the mean of as many as it weighs.
struct hp_scatter {
    size_t count;
    double weight;
    double sum, squares; // of each times its weight, and of its square times that
};

void hp_scatter_add(struct hp_scatter *sample, double value, double weight);

// As many values of 0 as it takes to be so many that weigh so much together.
void hp_scatter_fill(struct hp_scatter *sample, size_t count, double weight);

// The variance of the values, each with the weight 1; 0 if there is but one.
double hp_scatter_variance(const struct hp_scatter *sample);

// The difference of two means, held against Student's t.  {0}: there is none.
struct hp_contrast {
    double difference, sd, freedom;
};

// With one variance for both samples, which may be of one value alone if the other is of several; and
// Welch's, with a variance for each, which are of two values or more.  Of the second less the first.
struct hp_contrast hp_pooled_contrast(const struct hp_scatter samples[2]);
struct hp_contrast hp_welch_contrast(const struct hp_scatter samples[2]);

// The probability of as much growth or more without any, and of as much shrinkage.
double hp_contrast_growth_p(const struct hp_contrast *contrast);
double hp_contrast_shrinkage_p(const struct hp_contrast *contrast);

// It excludes 0 exactly where one of the two probabilities is below half of 1 - confidence.
struct hp_interval hp_contrast_interval(const struct hp_contrast *contrast,
                                        double confidence);

// The interval of the factor by which the second sample is above the first, from logarithms of values.
struct hp_ratio {
    struct hp_contrast tests[2]; // each has to tell
    size_t count;                // of them; 0: there are less than three values
    double center;    // the mean of all values, were they all of one distribution
    double shares[2]; // of the samples, by weight
};

// `unit` is what the logarithm 0 stands for.
struct hp_ratio hp_ratio_of_logs(const struct hp_scatter logs[2], double unit);

// The largest of all tests.
double hp_ratio_growth_p(const struct hp_ratio *ratio);
double hp_ratio_shrinkage_p(const struct hp_ratio *ratio);

// The changes that no test excludes, in the unit of the values, about their common mean.
struct hp_interval hp_ratio_interval(const struct hp_ratio *ratio, double confidence);

#endif
