// Tests of differences: the p-value and the interval come from the same distributions.
#include "core/random.h"
#include "stats/distributions.h"
#include "stats/measure.h"

#include <criterion/criterion.h>
#include <math.h>

// Whether `a` is within a relative error of `b`.
static bool agree(double a, double b, double relative) {
    return fabs(a - b) <= relative * fabs(b);
}

// A measure of n samples of equal weight.
static struct hp_measure samples(double n) {
    return (struct hp_measure){n, n, n, 0, 1};
}

// The expected value for 5 and 10 samples was computed by mpmath with 30 digits.
Test(difference, lower_end_is_the_quantile_that_the_p_value_is_of) {
    struct hp_interval range = hp_difference_interval(samples(5), samples(10), 0.95);
    cr_expect(agree(range.low, -3.703485377319, 1e-8), "%.12g", range.low);
    double p = hp_growth_p(samples(3), samples(10));
    cr_expect(agree(p, hp_beta_below(10, 4, 0.5, 0.5), 1e-12));
    cr_expect_gt(hp_difference_interval(samples(3), samples(10), 1 - 2.001 * p).low, 0);
    cr_expect_leq(hp_difference_interval(samples(3), samples(10), 1 - 1.999 * p).low, 0);
}

Test(difference, upper_end_is_the_lower_one_of_the_way_back) {
    struct hp_interval there = hp_difference_interval(samples(3), samples(10), 0.95);
    struct hp_interval back = hp_difference_interval(samples(10), samples(3), 0.95);
    cr_expect_eq(there.low, -back.high);
    cr_expect_eq(there.high, -back.low);
    cr_expect(there.low < 7 && 7 < there.high);
}

// A random number between two, uniform on a logarithmic scale.
static double any(struct hps_random *random, double least, double most) {
    return least * pow(most / least, hps_random_unit(random));
}

// A random measure: a few samples, very many, none, an exact number, or mixed sizes that
// hide samples.
static struct hp_measure anything(struct hps_random *random) {
    int kind = (int)hps_random_below(random, 6);
    double n = kind == 0 ? 0 : kind == 1 ? any(random, 1e6, 1e13) : any(random, 1, 300);
    double mean = floor(n) * 4096, share = any(random, 0.01, 1);
    return (struct hp_measure){
        .estimate = mean,
        .highest = kind == 2 ? mean * 1.2 : mean,
        .variance = kind == 3 ? 0 : mean * 4096 * share,
        .max_weight = kind == 3 ? 0 : 4096,
    };
}

Test(difference, excludes_0_exactly_where_the_two_sided_p_is_below_the_level) {
    struct hps_random random;
    size_t excluded = 0;
    hps_random_init(&random, 2);
    for (int i = 0; i < 30000; i++) {
        struct hp_measure before = anything(&random), after = anything(&random);
        if (i % 2) {
            after = before;
            after.estimate += sqrt(before.variance + 1) * any(&random, 0.5, 5);
            after.highest = fmax(after.estimate, after.highest);
        }
        double confidence = (const double[]){0.9, 0.95, 0.99}[i % 3];
        double up = hp_growth_p(before, after), down = hp_growth_p(after, before);
        double p = hp_two_sided(up, down);
        struct hp_interval range = hp_difference_interval(before, after, confidence);
        bool excludes = range.low > 0 || range.high < 0;
        cr_expect(excludes == (p < 1 - confidence), "%g to %g: p %g, %g to %g",
                  before.estimate, after.estimate, p, range.low, range.high);
        cr_expect(range.low <= range.high, "%g to %g: %.15g to %.15g", before.estimate,
                  after.estimate, range.low, range.high);
        excluded += excludes;
    }
    cr_expect(excluded > 3000 && excluded < 27000, "%zu", excluded);
}

Test(difference, of_equal_values_has_the_p_value_1) {
    struct hps_random random;
    hps_random_init(&random, 3);
    for (int i = 0; i < 10000; i++) {
        struct hp_measure before = anything(&random), after = before;
        after.variance *= any(&random, 0.1, 1);
        double p = hp_two_sided(hp_growth_p(before, after), hp_growth_p(after, before));
        cr_expect_eq(p, 1, "%g, variances %g and %g: %g", before.estimate,
                     before.variance, after.variance, p);
    }
}

Test(difference, of_an_exact_number_is_as_open_as_the_other) {
    struct hp_measure exact = {100, 100, 0, 100, 0};
    struct hp_interval range = hp_difference_interval(exact, samples(100), 0.95);
    struct hp_interval alone = hp_interval_of(samples(100), 0.95);
    cr_expect(agree(range.low, alone.low - 100, 1e-9), "%g", range.low);
    cr_expect(agree(range.high, alone.high - 100, 1e-9), "%g", range.high);
    struct hp_interval of_none = hp_difference_interval(exact, exact, 0.95);
    cr_expect(of_none.low == 0 && of_none.high == 0);
}

Test(difference, of_many_samples_is_nearly_normal) {
    double n = 4e6, m = 4e6 + 6000, half = 1.959963984540054 * sqrt(n + m + 1);
    struct hp_interval range = hp_difference_interval(samples(n), samples(m), 0.95);
    cr_expect(agree(range.low, 5999 - half, 1e-9), "%.12g", range.low);
    cr_expect(agree(range.high, 6001 + half, 1e-9), "%.12g", range.high);
}

Test(difference, two_sided_p_is_twice_the_smaller_and_at_most_1) {
    cr_expect_eq(hp_two_sided(0.02, 0.99), 0.04);
    cr_expect_eq(hp_two_sided(0.99, 0.02), 0.04);
    cr_expect_eq(hp_two_sided(0.6, 0.7), 1);
}
