// If each of T bytes is sampled with probability q, k ~ Binomial(T, q) are hit.  With a
// flat prior, T ~ NegBin(k+1, q) - 1, where NegBin is the number of trials up to and
// including success k + 1.  With the m bytes that were not tried,
//
//     mean m + (k+1)/q - 1, variance (k+1) (1-q)/q^2;
//     P(NegBin(n, q) <= t) = P(Binomial(t, q) >= n).
//
// The least T for which k or more hits are probable enough is a quantile of NegBin(k, q).
// The largest T for which k or fewer hits are probable enough is a quantile of
// NegBin(k+1, q), less one.
#include "tests/posterior.h"

#include <math.h>

// The probability q.
static double rate(const struct hps_attribution *attribution) {
    return 1 / (double)attribution->period;
}

double hps_attribution_bytes(const struct hps_attribution *attribution) {
    return (double)attribution->after +
           (double)attribution->sampled * (double)attribution->period;
}

double hps_attribution_variance(const struct hps_attribution *attribution) {
    double period = (double)attribution->period;
    return (double)attribution->sampled * period * (period - 1);
}

double hps_posterior_mean(const struct hps_attribution *attribution) {
    return hps_attribution_bytes(attribution) + (double)(attribution->period - 1);
}

double hps_posterior_variance(const struct hps_attribution *attribution) {
    double period = (double)attribution->period;
    return (double)(attribution->sampled + 1) * period * (period - 1);
}

// P(Binomial(trials, q) < n): the sum of its terms relative to the first, which is scaled
// down when it becomes large.
static double fewer_hits(uint64_t n, uint64_t trials, double q) {
    static const double large = 0x1p900, log_large = 900 * 0.69314718055994530942;
    double log_first = (double)trials * log1p(-q);
    double term = 1, sum = 1;
    for (uint64_t k = 0; k + 1 < n; k++) {
        term *= (double)(trials - k) / (double)(k + 1) * (q / (1 - q));
        sum += term;
        if (sum > large) {
            term /= large;
            sum /= large;
            log_first += log_large;
        }
    }
    return sum * exp(log_first);
}

// The least t with P(NegBin(n, q) <= t) >= 1 - tail, by doubling and bisection; n > 0.
static uint64_t trials_for(uint64_t n, double q, double tail) {
    if (q == 1) {
        return n;
    }
    uint64_t low = n - 1, step = 1; // `low` trials are too few for n hits
    while (fewer_hits(n, low + step, q) > tail) {
        low += step;
        step *= 2;
    }
    for (; step > 1; step -= step / 2) {
        low += fewer_hits(n, low + step / 2, q) > tail ? step / 2 : 0;
    }
    return low + 1;
}

uint64_t hps_posterior_quantile(const struct hps_attribution *attribution, double p) {
    return attribution->after +
           trials_for(attribution->sampled + 1, rate(attribution), 1 - p) - 1;
}

struct hps_attribution_range hps_attribution_range(
    const struct hps_attribution *attribution, double confidence) {
    uint64_t k = attribution->sampled;
    double q = rate(attribution), tail = (1 - confidence) / 2;
    return (struct hps_attribution_range){
        .low = attribution->after + (k > 0 ? trials_for(k, q, 1 - tail) : 0),
        .high = attribution->after + trials_for(k + 1, q, tail) - 1,
    };
}
