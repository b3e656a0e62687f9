// Test whether random numbers follow a given distribution, with Pearson's chi-square
// test.  It is two-sided: numbers that fit too well are not random either.
#ifndef HPS_SIM_GOODNESS_H
#define HPS_SIM_GOODNESS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    HPS_GOODNESS_BINS = 64,
};

// The bins of a test and the numbers in them.
struct hps_goodness {
    int bins; // number of bins; fewer than 64 if single numbers are very likely
    uint64_t last[HPS_GOODNESS_BINS];   // largest number in each bin
    double expected[HPS_GOODNESS_BINS]; // probability of each bin
    uint64_t observed[HPS_GOODNESS_BINS];
    uint64_t count;
    double mean, spread; // spread: sum of squared distances from the mean
};

// Create bins for whole numbers from 1 on, as equally likely as possible.  `below` is the
// distribution function: the probability of a number up to n.
void hps_goodness_init(struct hps_goodness *goodness,
                       double (*below)(uint64_t n, double mean), double mean);

// Count a number.
void hps_goodness_add(struct hps_goodness *goodness, uint64_t number);

// Pearson's chi-square, and the standard error of the mean.
double hps_goodness_chi_square(const struct hps_goodness *goodness);
double hps_goodness_mean_se(const struct hps_goodness *goodness);

// The p-quantile of the chi-square distribution with `freedom` > 0 degrees of freedom.
double hps_chi_square_quantile(double p, int freedom);

#endif
