// Inversion: the smallest k with P(X <= k) >= u, where P(0) = (1-p)^n and P(k+1) = P(k)
// (n-k)/(k+1) p/(1-p).  Larger numbers are sums of two binomials.
#include "sim/binomial.h"

#include <math.h>

static const double largest_mean = 500; // up to this mean P(0) is a normal number

uint64_t hps_binomial(struct hps_random *random, uint64_t n, double chance) {
    double mean = (double)n * chance;
    if (mean > largest_mean) {
        return hps_binomial(random, n / 2, chance) +
               hps_binomial(random, n - n / 2, chance);
    }
    double term = exp((double)n * log1p(-chance));
    double sum = term;
    double odds = chance / (1 - chance);
    double u = hps_random_unit(random);
    uint64_t k = 0;
    while (u > sum && k < n) {
        term *= (double)(n - k) / (double)(k + 1) * odds;
        k++;
        if (sum + term <= sum && (double)k > mean) {
            break; // the rest of 1 - sum is a rounding error
        }
        sum += term;
    }
    return k;
}
