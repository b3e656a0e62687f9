// k ~ Binomial(S, q) bytes of an object are sampled.  It is estimated as k/q, with the
// variance S (1-q)/q = S.  P(k > 0) is the same as with geometric gaps that start
// anew after each object; given that byte j is the first sampled one, k - 1 ~ Binomial(S
// - j, q).
#include "sim/method_bytes.h"

#include "core/countdown.h"
#include "core/gap.h"
#include "sim/binomial.h"

#include <math.h>

double hps_method_bytes_variance(const struct hps_plan *plan, uint32_t object) {
    return (double)plan->layout->sizes[object] * ((double)plan->interval - 1);
}

// Finds the objects that contain sampled bytes, which are reported in increasing order.
struct byte_finder {
    const struct hps_plan *plan;
    struct hps_estimate *estimates;
    uint32_t object; // object of the last sampled byte
    bool seen;       // there was a sampled byte
    uint64_t walks;
};

// Credit a sampled byte to its object.  Bytes are numbered from 1.
static void credit_byte(struct byte_finder *finder, uint64_t byte) {
    const uint64_t *ends = finder->plan->layout->ends;
    if (!finder->seen || ends[finder->object] < byte) {
        finder->seen = true;
        finder->walks++;
    }
    while (ends[finder->object] < byte) {
        finder->object++;
    }
    hps_plan_credit(finder->plan, finder->object, (double)finder->plan->interval,
                    finder->estimates);
}

// Toss 64 coins; each bit is 1 with probability rate / 2^64.  Each coin compares a random
// fraction with the probability bit by bit until they differ.
static uint64_t toss(struct hps_random *random, uint64_t rate) {
    uint64_t heads = 0, equal = UINT64_MAX;
    for (int bit = 63; bit >= 0 && equal; bit--) {
        uint64_t fractions = hps_random_next(random);
        if (rate >> bit & 1) {
            heads |= equal & ~fractions;
            equal &= fractions;
        } else {
            equal &= ~fractions;
        }
    }
    return heads;
}

uint64_t hps_method_bytes_run_coins(const struct hps_plan *plan,
                                    struct hps_random *random,
                                    struct hps_estimate *estimates) {
    const struct hps_layout *layout = plan->layout;
    uint64_t total = layout->ends[layout->count - 1];
    uint64_t rate = (uint64_t)(0x1p64 / (double)plan->interval);
    struct byte_finder finder = {.plan = plan, .estimates = estimates};
    for (uint64_t at = 0; at < total; at += 64) {
        uint64_t heads = toss(random, rate);
        for (; heads; heads &= heads - 1) {
            uint64_t byte = at + (uint64_t)__builtin_ctzll(heads) + 1;
            if (byte <= total) {
                credit_byte(&finder, byte);
            }
        }
    }
    return finder.walks;
}

uint64_t hps_method_bytes_run_gaps(const struct hps_plan *plan, struct hps_random *random,
                                   struct hps_estimate *estimates) {
    const struct hps_layout *layout = plan->layout;
    uint64_t total = layout->ends[layout->count - 1];
    struct byte_finder finder = {.plan = plan, .estimates = estimates};
    uint64_t byte = hps_gap_geometric(random, plan->interval);
    for (; byte <= total; byte += hps_gap_geometric(random, plan->interval)) {
        credit_byte(&finder, byte);
    }
    return finder.walks;
}

uint64_t hps_method_bytes_run_counted(const struct hps_plan *plan,
                                      struct hps_random *random,
                                      struct hps_estimate *estimates) {
    const struct hps_layout *layout = plan->layout;
    double period = (double)plan->interval;
    uint64_t walks = 0;
    struct hps_countdown countdown;
    hps_countdown_start(&countdown, hps_gap_geometric(random, plan->interval));
    for (uint32_t i = 0; i < layout->count; i++) {
        if (hps_countdown_hits(&countdown, layout->sizes[i])) {
            uint64_t after = (uint64_t)-countdown.left;
            double hits = 1 + (double)hps_binomial(random, after, 1 / period);
            hps_plan_credit(plan, i, hits * period, estimates);
            hps_countdown_start(&countdown, hps_gap_geometric(random, plan->interval));
            walks++;
        }
    }
    return walks;
}
