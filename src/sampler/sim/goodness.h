// Do numbers follow the law that they should?  Pearson's chi-square test, two-sided: numbers
// that fit too well are no random numbers either.
#ifndef HPS_SIM_GOODNESS_H
#define HPS_SIM_GOODNESS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    HPS_GOODNESS_BINS = 64,
};

struct hps_goodness {
    int bins;                           // less than 64 where single numbers are so likely
    uint64_t last[HPS_GOODNESS_BINS];   // the greatest number in each
    double expected[HPS_GOODNESS_BINS]; // chances
    uint64_t observed[HPS_GOODNESS_BINS];
    uint64_t count;
    double mean, spread; // spread: sum of squared distances from the mean
};

// Bins for whole numbers from 1 on, as equally likely as whole numbers can be; `below` gives
// the chance of a number up to n and rises to 1.
void hps_goodness_init(struct hps_goodness *goodness,
                       double (*below)(uint64_t n, double mean), double mean);

void hps_goodness_add(struct hps_goodness *goodness, uint64_t number);

double hps_goodness_chi_square(const struct hps_goodness *goodness);
double hps_goodness_mean_se(const struct hps_goodness *goodness);

// The number that a chi-square variable of so many degrees of freedom, > 0, is below with
// chance p.
double hps_chi_square_quantile(double p, int freedom);

#endif
