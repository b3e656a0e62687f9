// Tests of the formulas of the simulator and of posterior.h, against slow and simple sums and searches.
#include "core/random.h"
#include "sim/goodness.h"
#include "sim/horvitz.h"
#include "sim/optimal.h"
#include "sim/twostack.h"
#include "tests/posterior.h"

#include <criterion/criterion.h>
#include <math.h>

// --- the best probabilities ------------------------------------------------------------

enum {
    MOST_KINDS = 12,
};

// A random problem and its solution.
struct problem {
    struct hps_optimal_kind kinds[MOST_KINDS];
    size_t count;
    double budget;
    double chances[MOST_KINDS];
};

// A uniform random number.
static double uniform(struct hps_random *random, double low, double high) {
    return low + (high - low) * hps_random_unit(random);
}

static void draw_problem(struct problem *problem, struct hps_random *random) {
    problem->count = 1 + (size_t)hps_random_below(random, MOST_KINDS);
    double allocated = 0;
    for (size_t i = 0; i < problem->count; i++) {
        double count = exp(uniform(random, 0, 10));
        problem->kinds[i] = (struct hps_optimal_kind){
            .size = exp2(uniform(random, 3, 20)),
            .live = hps_random_below(random, 5) == 0 ? 0 : count * uniform(random, 0, 1),
            .allocated = count,
        };
        allocated += count;
    }
    problem->budget = allocated * exp(uniform(random, -6, 0));
    hps_optimal_chances(problem->kinds, problem->count, problem->budget,
                        problem->chances);
}

// How much the sum of Z^2 l/p decreases for each further sample.
static double gain(const struct problem *problem, size_t i) {
    const struct hps_optimal_kind *kind = &problem->kinds[i];
    double p = problem->chances[i];
    return kind->live > 0
               ? kind->size * kind->size * kind->live / (p * p * kind->allocated)
               : 0;
}

Test(optimal, spends_its_budget_where_each_sample_gains_the_same) {
    struct hps_random random;
    hps_random_init(&random, 1);
    int tight = 0;
    for (int round = 0; round < 2000; round++) {
        struct problem problem;
        draw_problem(&problem, &random);
        double spent = 0, level = 0, all = 0;
        for (size_t i = 0; i < problem.count; i++) {
            double p = problem.chances[i];
            cr_assert(p >= 0 && p <= 1);
            spent += problem.kinds[i].allocated * p;
            all += problem.kinds[i].live > 0 ? problem.kinds[i].allocated : 0;
            level = p > 0 && p < 1 ? gain(&problem, i) : level;
        }
        double expected = fmin(problem.budget, all);
        cr_expect_lt(fabs(spent - expected), 1e-9 * (1 + expected));
        tight += level > 0;
        for (size_t i = 0; i < problem.count; i++) {
            if (problem.chances[i] < 1 && problem.kinds[i].live > 0) {
                cr_expect_lt(fabs(gain(&problem, i) / level - 1), 1e-9);
            } else if (problem.kinds[i].live > 0) {
                cr_expect_geq(gain(&problem, i), level * (1 - 1e-9));
            }
        }
    }
    cr_expect_gt(tight, 1000, "most budgets are short");
}

// The problem is convex: if no small change improves the result, nothing does.
Test(optimal, is_not_improved_by_moving_samples_from_one_kind_to_another) {
    struct hps_random random;
    hps_random_init(&random, 2);
    for (int round = 0; round < 2000; round++) {
        struct problem problem;
        draw_problem(&problem, &random);
        for (int move = 0; move < 20; move++) {
            size_t to = (size_t)hps_random_below(&random, problem.count);
            size_t from = (size_t)hps_random_below(&random, problem.count);
            double samples = exp(uniform(&random, -8, 0)) * problem.budget;
            const struct hps_optimal_kind *giver = &problem.kinds[from],
                                          *taker = &problem.kinds[to];
            double less = problem.chances[from] - samples / giver->allocated;
            double more = problem.chances[to] + samples / taker->allocated;
            if (from == to || less <= 0 || more > 1 || taker->live <= 0) {
                continue;
            }
            double lost = giver->size * giver->size * giver->live *
                          (1 / less - 1 / problem.chances[from]);
            double won = taker->size * taker->size * taker->live *
                         (1 / problem.chances[to] - 1 / more);
            cr_expect_leq(won, lost * (1 + 1e-9));
        }
    }
}

// Var(jemalloc) / Var(optimal) with the same number of samples.  Sizes are 2^4 ... 2^20,
// and their numbers are proportional to size^-1.5.
static double efficiency(double (*survival)(double size)) {
    enum {
        KINDS = 17,
    };

    const uint64_t period = 1 << 19;
    struct hps_optimal_kind kinds[KINDS];
    double chances[KINDS], budget = 0, ours = 0, best = 0;
    for (int i = 0; i < KINDS; i++) {
        double size = ldexp(1, i + 4), count = 1e9 * pow(size, -1.5);
        kinds[i] = (struct hps_optimal_kind){size, count * survival(size), count};
        budget += count * hps_inclusion((uint64_t)size, period);
        ours += kinds[i].live * hps_bytes_variance((uint64_t)size, period);
    }
    hps_optimal_chances(kinds, KINDS, budget, chances);
    for (int i = 0; i < KINDS; i++) {
        best += kinds[i].live * kinds[i].size * kinds[i].size * (1 / chances[i] - 1);
    }
    return ours / best;
}

// Shares of objects that survive, by size.
static double equal(double size) {
    return size > 0 ? 0.1 : 0;
}

static double small_die(double size) {
    return size < 1024 ? 0.01 : 0.5;
}

static double rising(double size) {
    return pow(size / 0x1p24, 0.3);
}

static double large_die(double size) {
    return size < 1024 ? 0.5 : 0.01;
}

// Expected numbers are those of section 7.2 in the project's design, as far as it
// describes their workloads.
Test(optimal, gains_what_the_design_says_over_one_chance_per_byte) {
    cr_expect(1 <= efficiency(equal) && efficiency(equal) <= 1.005);
    cr_expect_lt(fabs(efficiency(small_die) - 2.4), 0.05, "%g", efficiency(small_die));
    cr_expect_lt(fabs(efficiency(rising) - 1.18), 0.05, "%g", efficiency(rising));
    cr_expect_lt(fabs(efficiency(large_die) - 1.13), 0.05, "%g", efficiency(large_die));
}

// --- the posterior ------------------------------------------------------------------

// Moments of T = m + n - 1 with n ~ NegBin(k + 1, q), by summing all terms.
struct direct {
    double mean, variance;
    uint64_t quantiles[3];
};

static const double levels[3] = {0.025, 0.5, 0.975};

static struct direct sum_directly(const struct hps_attribution *attribution) {
    struct direct direct = {0};
    double q = 1 / (double)attribution->period, sum = 0, squares = 0;
    double n = (double)attribution->sampled + 1, term = pow(q, n);
    int level = 0;
    // 60 times the mean is more than the whole distribution.
    for (double t = n; t < 60 * n * (double)attribution->period; t++) {
        double value = (double)attribution->after + t - 1;
        sum += term;
        direct.mean += term * value;
        squares += term * value * value;
        for (; level < 3 && sum >= levels[level]; level++) {
            direct.quantiles[level] = (uint64_t)value;
        }
        term *= (1 - q) * t / (t + 1 - n);
    }
    direct.variance = squares - direct.mean * direct.mean;
    return direct;
}

Test(posterior, is_that_of_direct_summation) {
    for (uint64_t k = 0; k <= 20; k += 1 + k / 2) {
        struct hps_attribution attribution = {.sampled = k, .after = 5, .period = 16};
        struct direct direct = sum_directly(&attribution);
        double mean = hps_posterior_mean(&attribution);
        double variance = hps_posterior_variance(&attribution);
        cr_expect_lt(fabs(direct.mean / mean - 1), 1e-10, "%g, not %g", mean,
                     direct.mean);
        cr_expect_lt(fabs(direct.variance / variance - 1), 1e-9);
        for (int i = 0; i < 3; i++) {
            cr_expect_eq(hps_posterior_quantile(&attribution, levels[i]),
                         direct.quantiles[i], "k = %d", (int)k);
        }
    }
}

// For many samples the distribution is a gamma distribution with shape k + 1; Wilson and
// Hilferty's cube root yields its quantiles with an error of 1e-5.
Test(posterior, of_thousands_of_samples_keeps_its_precision) {
    struct hps_attribution attribution = {.sampled = 9999, .period = 1 << 19};
    double shape = 10000, z = 1.9599639845400545;
    double root = 1 - 1 / (9 * shape) + z / (3 * sqrt(shape));
    double expected = shape * root * root * root * 0x1p19;
    double quantile = (double)hps_posterior_quantile(&attribution, 0.975);
    cr_expect_lt(fabs(quantile / expected - 1), 1e-5, "%g, not %g", quantile, expected);
}

Test(posterior, with_a_period_of_1_is_certain) {
    struct hps_attribution attribution = {.sampled = 7, .after = 3, .period = 1};
    cr_expect_eq(hps_attribution_bytes(&attribution), 10);
    cr_expect_eq(hps_attribution_variance(&attribution), 0);
    cr_expect_eq(hps_posterior_quantile(&attribution, 0.9), 10);
}

// Expected values are those of column "Garwood" in section 4.1 of the project's design,
// the limit for small probabilities.
Test(attribution, has_the_intervals_of_a_poisson_number_for_small_objects) {
    static const struct {
        uint64_t sampled;
        double low, high;
    } expected[] = {
        {0, 0, 3.689}, {1, 0.0253, 5.572}, {10, 4.795, 18.39}, {100, 81.36, 121.63}};

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct hps_attribution attribution = {.sampled = expected[i].sampled,
                                              .period = 1 << 20};
        struct hps_attribution_range range = hps_attribution_range(&attribution, 0.95);
        cr_expect_lt(fabs((double)range.low / 0x1p20 - expected[i].low), 0.005);
        cr_expect_lt(fabs((double)range.high / 0x1p20 - expected[i].high), 0.005);
    }
}

// Objects have 2 periods, so that most bytes need no sampling.
Test(attribution, has_intervals_that_hold_the_truth_as_often_as_they_say) {
    enum {
        PERIOD = 64,
        SIZE = 2 * PERIOD,
        OBJECTS = 10,
        ROUNDS = 5000,
    };
    struct hps_random random;
    hps_random_init(&random, 3);
    int covered = 0;
    double sum = 0, variances = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct hps_attribution attribution = {.period = PERIOD};
        for (int i = 0; i < OBJECTS; i++) {
            uint64_t byte = 1;
            while (byte <= SIZE && hps_random_below(&random, PERIOD) > 0) {
                byte++;
            }
            attribution.sampled += byte <= SIZE;
            attribution.after += byte <= SIZE ? SIZE - byte : 0;
        }
        struct hps_attribution_range range = hps_attribution_range(&attribution, 0.95);
        covered += range.low <= OBJECTS * SIZE && OBJECTS * SIZE <= range.high;
        sum += hps_attribution_bytes(&attribution);
        variances += hps_attribution_variance(&attribution);
    }
    double variance = OBJECTS * PERIOD * (PERIOD - 1) * hps_inclusion(SIZE, PERIOD);
    cr_expect_geq(covered / (double)ROUNDS, 0.95 - 6 * sqrt(0.95 * 0.05 / ROUNDS));
    cr_expect_lt(fabs(sum / ROUNDS - OBJECTS * SIZE), 6 * sqrt(variance / ROUNDS));
    cr_expect_lt(fabs(variances / ROUNDS / variance - 1), 0.01);
}

// --- goodness of fit ----------------------------------------------------------------

Test(goodness, has_the_bounds_of_the_chi_square_law) {
    // The first two are those of the project's design, T1; the others are in any table.
    cr_expect_lt(fabs(hps_chi_square_quantile(1e-9, 63) - 16.92), 0.005);
    cr_expect_lt(fabs(hps_chi_square_quantile(1 - 1e-9, 63) - 155.07), 0.005);
    cr_expect_lt(fabs(hps_chi_square_quantile(0.95, 1) - 3.841459), 1e-6);
    cr_expect_lt(fabs(hps_chi_square_quantile(0.5, 2) - 2 * log(2)), 1e-12);
}

static double below_geometric(uint64_t n, double mean) {
    return -expm1((double)n * log1p(-1 / mean));
}

static double below_uniform(uint64_t n, double mean) {
    return fmin(1, (double)n / (2 * mean));
}

// Expect that probabilities add up to 1 and that numbers are counted in the right bins.
static void expect_sound_bins(double (*law)(uint64_t n, double mean), double mean) {
    struct hps_goodness goodness;
    hps_goodness_init(&goodness, law, mean);
    double sum = 0;
    for (int i = 0; i < goodness.bins; i++) {
        sum += goodness.expected[i];
        hps_goodness_add(&goodness, goodness.last[i]);
        hps_goodness_add(&goodness, i > 0 ? goodness.last[i - 1] + 1 : 1);
        cr_expect_eq(goodness.observed[i], 2);
        cr_expect_gt(goodness.expected[i], 1e-3);
    }
    cr_expect_lt(fabs(sum - 1), 1e-12, "mean %g: %g", mean, sum);
    cr_expect(goodness.bins == HPS_GOODNESS_BINS || mean < 64, "mean %g", mean);
}

Test(goodness, has_bins_that_add_up_and_counts_numbers_in_them) {
    for (double mean = 2; mean < 1e6; mean += 1 + trunc(mean / 3)) {
        expect_sound_bins(below_geometric, mean);
        expect_sound_bins(below_uniform, mean);
    }
}

// --- two stacks ---------------------------------------------------------------------

// Expect three equal digits.
static void expect_digits(double value, double expected) {
    cr_expect_lt(fabs(value / expected - 1), 0.006, "%g, not %g", value, expected);
}

// Expected values are those of table 1.2 in the project's design, with three digits.
Test(twostack, comes_out_as_designed_for_one_machine) {
    struct hps_twostack twostack = {0};
    hps_twostack_add(&twostack, (struct hps_twostack_samples){{8, 1}});
    struct hps_twostack_sums bytes = hps_twostack_by_bytes(&twostack);
    struct hps_twostack_sums mean = hps_twostack_by_mean(&twostack);
    expect_digits(twostack.before.bytes[0], 8.39e6);
    expect_digits(twostack.before.bytes[1], 8.39e6);
    expect_digits(twostack.before.objects[0], 1.05e6);
    expect_digits(bytes.bytes[0], 1.05e6);
    expect_digits(bytes.bytes[1], 8.39e6);
    expect_digits(mean.bytes[0], 109);
    expect_digits(mean.bytes[1], 1.42e7);
    cr_expect_eq(round(mean.objects[0]), 14);
}

Test(twostack, comes_out_as_designed_for_a_million_machines) {
    struct hps_twostack twostack = {0};
    struct hps_random random;
    hps_random_init(&random, 1);
    for (int i = 0; i < 1000000; i++) {
        hps_twostack_add(&twostack, hps_twostack_draw(&random));
    }
    struct hps_twostack_sums bytes = hps_twostack_by_bytes(&twostack);
    struct hps_twostack_sums mean = hps_twostack_by_mean(&twostack);
    expect_digits(twostack.before.bytes[0], 8.001e12);
    expect_digits(twostack.before.bytes[1], 8.388e12);
    expect_digits(twostack.before.objects[0], 1.000e12);
    expect_digits(bytes.bytes[0], 6.10e7);
    expect_digits(bytes.bytes[1], 8.39e12);
    expect_digits(mean.bytes[0], 1.01e8);
    expect_digits(mean.bytes[1], 1.39e13);
    cr_expect_eq(round(mean.objects[0] / 1e6), 13);
}
