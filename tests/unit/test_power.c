// Tests of the smallest change that comparisons find: known cases, limits, and series.
#include "core/random.h"
#include "stats/power.h"
#include "stats/trend_shape.h"

#include <criterion/criterion.h>
#include <math.h>

// Whether `a` is within a relative error of `b`.
static bool agree(double a, double b, double relative) {
    return fabs(a - b) <= relative * fabs(b);
}

static double errors_of(size_t base, size_t new, double level, double freedom) {
    const size_t count[2] = {base, new};
    struct hp_side_power *power = hp_side_power_new(count, level);
    double errors = hp_detectable_difference(power, 0, freedom);
    hp_side_power_free(power);
    return errors;
}

// The expected effect sizes are by statsmodels: TTestIndPower().solve_power(nobs1=n,
// alpha=.05, power=.8), times sqrt(n / 2).  Welch's test asks for more if n is small.
Test(power, differences_of_means_are_those_of_the_t_test) {
    cr_expect(agree(errors_of(1000, 1000, 0.025, INFINITY), 2.8045, 0.003));
    cr_expect(agree(errors_of(10, 10, 0.025, INFINITY), 2.9625, 0.02));
    cr_expect_gt(errors_of(3, 3, 0.025, INFINITY), errors_of(5, 5, 0.025, INFINITY));
}

// Only Student's test is left if one side has one value: 1.9600 + 0.8416 at the limit.
Test(power, one_value_against_many_is_normal_at_the_limit) {
    cr_expect(agree(errors_of(1, 5000, 0.025, INFINITY), 2.8016, 0.003));
}

Test(power, an_error_that_few_values_have_shown_needs_a_larger_difference) {
    cr_expect_gt(errors_of(8, 8, 0.025, 2), 1.2 * errors_of(8, 8, 0.025, INFINITY));
    cr_expect(agree(errors_of(8, 8, 0.025, 1e6), errors_of(8, 8, 0.025, INFINITY), 0.01));
}

Test(power, a_difference_that_another_test_refuses_is_not_found) {
    const size_t count[2] = {1000, 1000};
    struct hp_side_power *power = hp_side_power_new(count, 0.025);
    cr_expect(agree(hp_detectable_difference(power, 10, INFINITY), 10.8416, 0.001));
    cr_expect(agree(hp_detectable_difference(power, 1e20, INFINITY), 1e20, 1e-5));
    hp_side_power_free(power);
}

// 10,000 small objects of one byte's weight each: the normal limit.
static struct hp_measure many(void) {
    return (struct hp_measure){1e4, 1e4, 1e4, 0, 1, 0};
}

Test(power, growth_of_many_samples_is_normal) {
    struct hp_growth_model model = hp_growth_model_of(many(), 1e4);
    double sd = sqrt(2e4);
    cr_expect(agree(hp_growth_at(&model, 0.025), 1.96 * sd, 0.03));
    cr_expect(agree(hp_detectable_growth(&model, 0.025, 0), 2.8016 * sd, 0.03));
    cr_expect(agree(hp_detectable_growth(&model, 0.025, 2000), 2000 + 0.8416 * sd, 0.1));
}

Test(power, growth_from_nothing_is_of_several_samples) {
    struct hp_measure nothing = {.max_weight = 1};
    struct hp_growth_model model = hp_growth_model_of(nothing, 0);
    double growth = hp_detectable_growth(&model, 0.025, 0);
    cr_expect(growth > 5 && growth < 12, "%g", growth);
}

// A normal pseudo-random number, nearly.
static double nearly_normal(struct hps_random *random) {
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        sum += hps_random_unit(random) - 0.5;
    }
    return sum;
}

// The share of series of other random numbers in which the slope is found; the values of
// growth vary, too.
static double share_found(size_t dumps, struct hp_slope_noise noise) {
    enum {
        DUMPS = 24,
        RUNS = 1000,
    };

    struct hps_random random;
    double times[DUMPS], values[DUMPS];
    int found = 0;
    hps_random_init(&random, 7);
    for (size_t j = 0; j < dumps; j++) {
        times[j] = (double)j;
    }
    struct hp_trend_times *of = hp_trend_times_new(times, dumps, 0.95);
    struct hp_noisy_series *noisy = hp_noisy_series_new(of, dumps, (struct hp_noise){0});
    double slope = hp_detectable_slope(noisy, noise);
    double variance = noise.variance + slope * noise.variance_per_slope;
    for (int i = 0; i < RUNS; i++) {
        double grown = 0;
        for (size_t j = 0; j < dumps; j++) {
            values[j] = grown + noise.sd * nearly_normal(&random);
            grown += slope + sqrt(slope * noise.noise_per_byte) * nearly_normal(&random);
        }
        struct hp_rise sampling = hp_trend_of_sampling(of, values, variance);
        found += hp_trend_of_all(of, values, sampling).least > 0 &&
                 hp_trend_shape_of(values, dumps, hp_trend_is_line(of, values)) ==
                     HP_TREND_STEADY;
    }
    hp_noisy_series_free(noisy);
    hp_trend_times_free(of);
    return (double)found / RUNS;
}

Test(power, slopes_are_found_in_four_of_five_series) {
    const struct hp_slope_noise of[] = {
        {1, 0.5, 0, 0}, {1, 0.5, 1, 0.5}, {0, 1, 1, 1}, {3, 0, 0, 0.1}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        double few = share_found(8, of[i]), many = share_found(24, of[i]);
        cr_expect(few > 0.76 && few < 0.84, "%zu: %g", i, few);
        cr_expect(many > 0.76 && many < 0.84, "%zu: %g", i, many);
    }
}

Test(power, a_slope_without_any_noise_is_found) {
    double times[] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct hp_trend_times *of = hp_trend_times_new(times, 8, 0.95);
    struct hp_noisy_series *noisy = hp_noisy_series_new(of, 8, (struct hp_noise){0});
    cr_expect(hp_detectable_slope(noisy, (struct hp_slope_noise){0}) == 0);
    hp_noisy_series_free(noisy);
    hp_trend_times_free(of);
}
