// Estimate a number of bytes from k sampled bytes and m bytes that need no sampling.
// Each byte is sampled with chance q = 1/period, but a stack walk ends the sampling of
// its object (jemalloc's issue 1751).  For each sampled object k grows by one, and m by
// the bytes after the sampled one.
#ifndef HPS_TESTS_POSTERIOR_H
#define HPS_TESTS_POSTERIOR_H

#include <stdint.h>

// The numbers of a sample from which bytes are estimated.
struct hps_attribution {
    uint64_t sampled; // k: number of sampled bytes
    uint64_t after;   // m: bytes after the sampled byte of each sampled object
    uint64_t period;  // 1/q: mean bytes between samples
};

// An interval of bytes.
struct hps_attribution_range {
    uint64_t low, high;
};

// The estimate m + k/q and an estimate of its variance.  Both are unbiased, and need no
// sizes of objects.
double hps_attribution_bytes(const struct hps_attribution *attribution);
double hps_attribution_variance(const struct hps_attribution *attribution);

// The posterior distribution of the number of bytes, with a flat prior: its mean,
// variance and p-quantile.
double hps_posterior_mean(const struct hps_attribution *attribution);
double hps_posterior_variance(const struct hps_attribution *attribution);
uint64_t hps_posterior_quantile(const struct hps_attribution *attribution, double p);

// A confidence interval that contains the true number with at least this confidence,
// whatever it is.
struct hps_attribution_range hps_attribution_range(
    const struct hps_attribution *attribution, double confidence);

#endif
