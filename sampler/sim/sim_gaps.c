#include "core/gap.h"
#include "sim/goodness.h"
#include "sim/sim.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// A distribution of gaps, and its theory.
struct distribution {
    const char *name;
    uint64_t (*gap)(struct hps_random *random, uint64_t period);
    double (*below)(uint64_t n, double period); // probability of a gap of n or less
    double (*mean)(double period);              // mean of the gaps
};

static double geometric_below(uint64_t n, double period) {
    return -expm1((double)n * log1p(-1 / period));
}

static double geometric_mean(double period) {
    return period;
}

static double exponential_below(uint64_t n, double period) {
    return -expm1(-(double)n / period);
}

static double exponential_mean(double period) {
    return -1 / expm1(-1 / period); // mean of gaps rounded up
}

static double uniform_below(uint64_t n, double period) {
    return fmin(1, (double)n / (2 * period));
}

static double uniform_mean(double period) {
    return period + 0.5;
}

static const struct distribution distributions[] = {
    {"geometric", hps_gap_geometric, geometric_below, geometric_mean},
    {"exponential", hps_gap_exponential, exponential_below, exponential_mean},
    {"uniform", hps_gap_uniform, uniform_below, uniform_mean},
    {0},
};

// Find a distribution by its name; NULL if there is none.
static const struct distribution *find(const char *name) {
    const struct distribution *one = distributions;
    while (one->name && strcmp(one->name, name) != 0) {
        one++;
    }
    return one->name ? one : NULL;
}

// Print the results of the tests.  Returns whether all are good.
static bool print_result(const struct hps_goodness *goodness, double expected_mean) {
    static const double alarm = 1e-9; // probability of a false alarm on each side
    int freedom = goodness->bins - 1;
    double chi_square = hps_goodness_chi_square(goodness);
    double low = hps_chi_square_quantile(alarm, freedom);
    double high = hps_chi_square_quantile(1 - alarm, freedom);
    double se = hps_goodness_mean_se(goodness);
    double z = (goodness->mean - expected_mean) / se;
    bool fits = low < chi_square && chi_square < high, centred = fabs(z) < 6;
    printf("chi-square %.2f, %d degrees of freedom; good is %.2f to %.2f: %s\n",
           chi_square, freedom, low, high, fits ? "good" : "BAD");
    printf("mean %.3f, standard error %.3f; expected is %.3f, z = %.2f: %s\n",
           goodness->mean, se, expected_mean, z, centred ? "good" : "BAD");
    return fits && centred;
}

int hps_sim_gaps(char **arguments) {
    uint64_t period = 4096, count = 1000000, seed = 1;
    const char *name = "geometric";
    const struct hps_sim_option options[] = {
        {"period", HPS_SIM_NUMBER, &period, "mean gap, at least 2 (4096)"},
        {"count", HPS_SIM_NUMBER, &count, "how many gaps, at least 1000 (1000000)"},
        {"seed", HPS_SIM_NUMBER, &seed, "of the random numbers (1)"},
        {"distribution", HPS_SIM_TEXT, &name, "geometric, exponential or uniform"},
        {0},
    };
    hps_sim_parse(arguments, "gaps [OPTION...]", options);
    const struct distribution *distribution = find(name);
    if (*arguments || !distribution || period < 2 || count < 1000) {
        hps_sim_fail("cannot test these gaps; see gaps --help");
        return 2;
    }
    struct hps_goodness goodness;
    struct hps_random random;
    hps_goodness_init(&goodness, distribution->below, (double)period);
    hps_random_init(&random, seed);
    for (uint64_t i = 0; i < count; i++) {
        hps_goodness_add(&goodness, distribution->gap(&random, period));
    }
    printf("%" PRIu64 " %s gaps, period %" PRIu64 ", seed %" PRIu64 "\n", count, name,
           period, seed);
    return print_result(&goodness, distribution->mean((double)period)) ? 0 : 1;
}
