// Tests of comparing two samples of values: pooled t-test and Welch's t-test, and ratios
// converted to bytes.
#include "core/random.h"
#include "stats/two_samples.h"

#include <criterion/criterion.h>
#include <math.h>

// Whether `a` is within a relative error of `b`.
static bool agree(double a, double b, double relative) {
    return fabs(a - b) <= relative * fabs(b);
}

// The scatter of values of equal weight.
static struct hp_scatter of(const double *values, size_t count) {
    struct hp_scatter scatter = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        hp_scatter_add(&scatter, values[i], 1);
    }
    return scatter;
}

static const double three[] = {4.1, 5.2, 3.9}, five[] = {6.5, 7.1, 5.8, 9.0, 6.2};

// Expected values are by SciPy 1.17: ttest_ind(five, three) with equal_var=True and
// False.
Test(two_samples, tests_are_those_of_student_and_welch) {
    struct hp_scatter both[2] = {of(three, 3), of(five, 5)};
    struct hp_contrast pooled = hp_pooled_contrast(both), welch = hp_welch_contrast(both);
    cr_expect(agree(hp_contrast_growth_p(&pooled), 0.010150363170344989, 1e-10));
    cr_expect(agree(hp_contrast_growth_p(&welch), 0.0054063898499458135, 1e-10));
    cr_expect(agree(hp_contrast_shrinkage_p(&welch), 1 - 0.0054063898499458, 1e-10));
    struct hp_interval range = hp_contrast_interval(&pooled, 0.95);
    cr_expect(agree(range.low, 0.55054416987137, 1e-10), "%.15g", range.low);
    cr_expect(agree(range.high, 4.489455830128629, 1e-10), "%.15g", range.high);
    range = hp_contrast_interval(&welch, 0.95);
    cr_expect(agree(range.low, 0.8268543752100561, 1e-10), "%.15g", range.low);
    cr_expect(agree(range.high, 4.213145624789943, 1e-10), "%.15g", range.high);
}

// Expected values are by SciPy: ttest_ind([7.5], [4.1, 5.2, 3.9, 4.4]).
Test(two_samples, one_value_is_taken_to_vary_as_the_others_do) {
    const double others[] = {4.1, 5.2, 3.9, 4.4}, one = 7.5;
    struct hp_scatter both[2] = {of(others, 4), of(&one, 1)};
    struct hp_contrast pooled = hp_pooled_contrast(both);
    cr_expect(agree(hp_contrast_growth_p(&pooled), 0.01671731060543289 / 2, 1e-10));
    struct hp_ratio ratio = hp_ratio_of_logs(both, 1);
    cr_expect_eq(ratio.count, 1);
}

Test(two_samples, values_of_0_need_not_be_added) {
    const double some[] = {0, 2, 0, 3}, none[] = {2, 3};
    struct hp_scatter whole = of(some, 4), filled = of(none, 2);
    hp_scatter_fill(&filled, 4, 4);
    cr_expect(agree(hp_scatter_variance(&filled), hp_scatter_variance(&whole), 1e-15));
}

// The variance of a mean of several values is smaller by the factor of its weight.
Test(two_samples, a_mean_of_nine_values_weighs_as_nine) {
    struct hps_random random;
    double variance = 0, runs = 4000;
    hps_random_init(&random, 5);
    for (int run = 0; run < runs; run++) {
        struct hp_scatter scatter = {.count = 0};
        for (int unit = 0; unit < 8; unit++) {
            int dumps = unit % 2 ? 9 : 1;
            double sum = 0;
            for (int i = 0; i < dumps; i++) {
                sum += hps_random_unit(&random);
            }
            hp_scatter_add(&scatter, sum / dumps, dumps);
        }
        variance += hp_scatter_variance(&scatter) / runs;
    }
    cr_expect(fabs(variance - 1. / 12) < 0.003, "%g", variance);
}

Test(two_samples, two_values_have_no_test) {
    struct hp_scatter both[2] = {of(three, 1), of(five, 1)};
    struct hp_ratio ratio = hp_ratio_of_logs(both, 1);
    cr_expect_eq(ratio.count, 0);
    struct hp_scatter none[2] = {of(three, 3), of(five, 0)};
    ratio = hp_ratio_of_logs(none, 1);
    cr_expect_eq(ratio.count, 0);
}

// A ratio e^d is applied to the common mean.  A doubling of 12 is +12, except that the
// mean of logarithms is below the logarithm of the mean.
Test(two_samples, a_ratio_in_bytes_is_about_the_common_mean) {
    struct hp_ratio ratio = {.tests = {{log(2), 0, 2}},
                             .count = 1,
                             .center = 12 * sqrt(2),
                             .shares = {0.5, 0.5}};
    struct hp_interval range = hp_ratio_interval(&ratio, 0.95);
    cr_expect(agree(range.low, 12, 1e-12) && agree(range.high, 12, 1e-12), "%g",
              range.low);
    const double logs[] = {0, 0, 0, 1, 1};
    struct hp_scatter both[2] = {of(logs, 3), of(logs + 3, 2)};
    ratio = hp_ratio_of_logs(both, 100);
    cr_expect(agree(ratio.center, 100 * exp(0.4), 1e-12), "%g", ratio.center);
    cr_expect(agree(ratio.shares[0], 0.6, 1e-12) && agree(ratio.shares[1], 0.4, 1e-12));
    range = hp_ratio_interval(&ratio, 0.95); // there is no variance
    cr_expect(agree(range.low, 100 * (exp(1) - 1), 1e-12), "%g", range.low);
}

Test(two_samples, the_common_mean_is_that_of_values_if_they_determine_it) {
    const double logs[] = {0, 1, 2, 3};
    struct hp_scatter four[2] = {of(logs, 2), of(logs + 2, 2)};
    struct hp_scatter three_of[2] = {of(logs, 2), of(logs + 2, 1)};
    struct hp_ratio ratio = hp_ratio_of_logs(four, 1);
    cr_expect(agree(ratio.center, exp(1.5 + 0.5 / 2), 1e-12), "%g", ratio.center);
    ratio = hp_ratio_of_logs(three_of, 1);
    cr_expect(agree(ratio.center, exp(1), 1e-12), "%g", ratio.center);
}

Test(two_samples, intervals_exclude_0_exactly_where_p_is_below_the_level) {
    struct hps_random random;
    size_t excluded = 0;
    hps_random_init(&random, 6);
    for (int i = 0; i < 20000; i++) {
        struct hp_scatter both[2] = {{.count = 0}, {.count = 0}};
        size_t counts[2] = {1 + hps_random_below(&random, 4),
                            2 + hps_random_below(&random, 4)};
        for (int side = 0; side < 2; side++) {
            for (size_t k = 0; k < counts[side]; k++) {
                double value = side * 0.7 + hps_random_unit(&random);
                hp_scatter_add(&both[side], value,
                               1 + (double)hps_random_below(&random, 2));
            }
        }
        struct hp_ratio ratio = hp_ratio_of_logs(both, 1000);
        double confidence = (const double[]){0.9, 0.95, 0.99}[i % 3];
        double p = hp_two_sided(hp_ratio_growth_p(&ratio), hp_ratio_shrinkage_p(&ratio));
        struct hp_interval range = hp_ratio_interval(&ratio, confidence);
        bool excludes = range.low > 0 || range.high < 0;
        cr_expect(excludes == (p < 1 - confidence), "p %g, %g to %g", p, range.low,
                  range.high);
        excluded += excludes;
    }
    cr_expect(excluded > 2000 && excluded < 18000, "%zu", excluded);
}

Test(two_samples, what_varies_beyond_all_numbers_has_ends_that_are_numbers) {
    struct hp_ratio ratio = {
        .tests = {{3, 40, 1}}, .count = 1, .center = 1e9, .shares = {0.5, 0.5}};
    struct hp_interval range = hp_ratio_interval(&ratio, 0.999);
    cr_expect(isfinite(range.low) && isfinite(range.high));
    cr_expect(range.low < 0 && range.high > 0);
}
