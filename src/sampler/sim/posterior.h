// What k sampled bytes and m bytes that need no sampling tell of how many bytes there are,
// when each byte is sampled with chance q = 1/period but a stack walk ends the sampling of
// its object: jemalloc's issue 1751.  For each sampled object, k grows by one and m by the
// bytes that follow the sampled one.
#ifndef HPS_SIM_POSTERIOR_H
#define HPS_SIM_POSTERIOR_H

#include <stdint.h>

struct hps_attribution {
    uint64_t sampled; // k
    uint64_t after;   // m
    uint64_t period;  // 1/q
};

struct hps_attribution_range {
    uint64_t low, high;
};

// m + k/q, and an estimate of its variance, both without bias and without any sizes.
double hps_attribution_bytes(const struct hps_attribution *attribution);
double hps_attribution_variance(const struct hps_attribution *attribution);

// The distribution of the number of bytes after the samples, if any number was as likely
// before: its mean, its variance, and the least number that is exceeded with chance 1 - p at
// most.
double hps_posterior_mean(const struct hps_attribution *attribution);
double hps_posterior_variance(const struct hps_attribution *attribution);
uint64_t hps_posterior_quantile(const struct hps_attribution *attribution, double p);

// Holds the true number with at least that confidence, whatever it is.
struct hps_attribution_range hps_attribution_range(
    const struct hps_attribution *attribution, double confidence);

#endif
