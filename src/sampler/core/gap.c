// P(gap > n) = (1 - 1/R)^n is met by floor(ln u / ln(1 - 1/R)) + 1 for u uniform in (0, 1].
#include "sampler/core/gap.h"

#include <math.h>

// Beyond any allocation there is, and safe to subtract from.
static const double longest = 0x1p62;

static uint64_t whole(double gap) {
    return gap < longest ? (uint64_t)gap : (uint64_t)longest;
}

uint64_t hps_gap_geometric(struct hps_random *random, uint64_t period) {
    double rate = log1p(-1 / (double)period); // -inf for a period of 1
    return whole(floor(log(hps_random_unit(random)) / rate) + 1);
}

uint64_t hps_gap_exponential(struct hps_random *random, uint64_t period) {
    return whole(ceil(-log(hps_random_unit(random)) * (double)period));
}

uint64_t hps_gap_uniform(struct hps_random *random, uint64_t period) {
    return hps_random_below(random, 2 * period) + 1;
}
