// X = sum (observed - n p)^2 / (n p) has a chi-square distribution with bins - 1 degrees
// of freedom.  Its distribution function is P(a, x), where a is half the degrees of
// freedom and x = X/2:
//
//     P(a, x) = x^a e^-x / Gamma(a+1) (1 + x/(a+1) + x^2/((a+1)(a+2)) + ...)
#include "sim/goodness.h"

#include <math.h>

// The least n with below(n) >= p, by bisection.
static uint64_t quantile(double (*below)(uint64_t n, double mean), double mean,
                         double p) {
    uint64_t low = 0, high = 1;
    while (below(high, mean) < p) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (below(middle, mean) < p) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

void hps_goodness_init(struct hps_goodness *goodness,
                       double (*below)(uint64_t n, double mean), double mean) {
    *goodness = (struct hps_goodness){0};
    // Least probability of a bin; smaller ones are merged.
    static const double least = 1e-3;
    double reached = 0;
    for (int i = 1; i < HPS_GOODNESS_BINS; i++) {
        uint64_t next = quantile(below, mean, (double)i / HPS_GOODNESS_BINS);
        double chance = below(next, mean);
        if (chance - reached > least) {
            goodness->expected[goodness->bins] = chance - reached;
            goodness->last[goodness->bins++] = next;
            reached = chance;
        }
    }
    goodness->bins += 1 - reached > least;
    goodness->expected[goodness->bins - 1] += 1 - reached;
    goodness->last[goodness->bins - 1] = UINT64_MAX;
}

void hps_goodness_add(struct hps_goodness *goodness, uint64_t number) {
    int low = 0, high = goodness->bins - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (number <= goodness->last[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    goodness->observed[low]++;
    goodness->count++;
    double before = (double)number - goodness->mean;
    goodness->mean += before / (double)goodness->count;
    goodness->spread += before * ((double)number - goodness->mean);
}

double hps_goodness_chi_square(const struct hps_goodness *goodness) {
    double sum = 0;
    for (int i = 0; i < goodness->bins; i++) {
        double expected = goodness->expected[i] * (double)goodness->count;
        double distance = (double)goodness->observed[i] - expected;
        sum += distance * distance / expected;
    }
    return sum;
}

double hps_goodness_mean_se(const struct hps_goodness *goodness) {
    double n = (double)goodness->count;
    return sqrt(goodness->spread / (n - 1) / n);
}

// Distribution function of the chi-square distribution.
static double chi_square_below(double chi_square, int freedom) {
    double a = freedom / 2.0, x = chi_square / 2;
    double term = exp(a * log(x) - x - lgamma(a + 1)), sum = 0;
    for (double n = a + 1; sum + term > sum; n++) {
        sum += term;
        term *= x / n;
    }
    return sum;
}

double hps_chi_square_quantile(double p, int freedom) {
    double low = 0, high = 1;
    while (chi_square_below(high, freedom) < p) {
        low = high;
        high *= 2;
    }
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (chi_square_below(middle, freedom) < p) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}
