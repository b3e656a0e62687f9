// If u is uniform in (0, 1], floor(ln u / ln(1 - 1/R)) + 1 has the distribution P(gap >
// n) = (1 - 1/R)^n.
#include "core/gap.h"

#include <math.h>

// Longest gap: larger than any allocation, and small enough that a countdown cannot
// overflow.
static const double longest = 0x1p62;

// Convert a gap to an integer, limited to `longest`.
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
