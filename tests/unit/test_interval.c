// Tests of confidence intervals and growth p-values, and of the special functions that
// they use.
#include "stats/distributions.h"
#include "stats/measure.h"

#include <criterion/criterion.h>
#include <math.h>

// Whether `a` is within a relative error of `b`.
static bool agree(double a, double b, double relative) {
    return fabs(a - b) <= relative * fabs(b);
}

// Expected values were computed by mpmath with 50 digits.

// Shape; probability; lower quantile; upper quantile.
static const double gammas[][4] = {
    {0.5, 0.000001, 7.853981633978595e-13, 11.96406348846741},
    {0.5, 0.005, 1.963521111025795e-5, 3.939719288311209},
    {0.5, 0.025, 4.91034558587628e-4, 2.511943093657444},
    {0.5, 0.05, 1.966070000009761e-3, 1.920729410347063},
    {1, 0.000001, 1.000000500000333e-6, 13.81551055796427},
    {1, 0.005, 5.012541823544282e-3, 5.298317366548037},
    {1, 0.025, 0.02531780798428988, 3.688879454113936},
    {1, 0.05, 0.05129329438755053, 2.995732273553991},
    {2, 0.000001, 1.414880661479343e-3, 16.68842079085992},
    {2, 0.005, 0.103494546748091, 7.430129500280122},
    {2, 0.025, 0.2422092785439649, 5.571643390938899},
    {2, 0.05, 0.3553615106986621, 4.743864518390578},
    {3, 0.000001, 0.01825428296327929, 19.12916818860484},
    {3, 0.005, 0.3378633887277333, 9.273792089255545},
    {3, 0.025, 0.6186721228956013, 7.224687667723961},
    {3, 0.05, 0.8176914471639533, 6.29579362187199},
    {3.7, 0.000001, 0.05061057116447272, 20.70130816773577},
    {3.7, 0.005, 0.5633537406614457, 10.47716566971166},
    {3.7, 0.025, 0.9408724643775052, 8.312977261150271},
    {3.7, 0.05, 1.194927621484027, 7.323507426413932},
    {10, 0.000001, 1.276818787864408, 32.71034051752392},
    {10, 0.005, 3.716922131467118, 19.99842315646932},
    {10, 0.025, 4.795388696132434, 17.08480345141917},
    {10, 0.05, 5.425405697091293, 15.70521642211546},
    {11, 0.000001, 1.595883879479403, 34.42788434036118},
    {11, 0.005, 4.321358200333207, 21.39782749965427},
    {11, 0.025, 5.491160367236838, 18.39035604201778},
    {11, 0.05, 6.169007289395322, 16.9622192357219},
    {100, 0.000001, 59.43632069812289, 154.919045995039},
    {100, 0.005, 76.12049584368918, 127.6320777257616},
    {100, 0.025, 81.36399125092314, 120.5289477531555},
    {100, 0.05, 84.1392772183142, 116.9971344461625},
    {101, 0.000001, 60.20048491095854, 156.1552909399085},
    {101, 0.005, 76.99203340575257, 128.7605801201024},
    {101, 0.025, 82.26615879303894, 121.6267937924264},
    {101, 0.05, 85.05714501910897, 118.0792727820971},
    {1000, 0.000001, 856.8146512793919, 1157.577911008926},
    {1000, 0.005, 920.4240461633591, 1083.332150195779},
    {1000, 0.025, 938.9730184076952, 1062.921151224888},
    {1000, 0.05, 948.5598493836511, 1052.577118082321},
};

Test(special, gamma_quantiles_have_ten_digits) {
    for (size_t i = 0; i < sizeof gammas / sizeof *gammas; i++) {
        const double *row = gammas[i];
        double below = hp_gamma_quantile_below(row[0], row[1]);
        double above = hp_gamma_quantile_above(row[0], row[1]);
        cr_expect(agree(below, row[2], 1e-10), "row %zu: %.12g", i, below);
        cr_expect(agree(above, row[3], 1e-10), "row %zu: %.12g", i, above);
        cr_expect(agree(hp_gamma_below(row[0], below), row[1], 1e-10));
        cr_expect(agree(hp_gamma_above(row[0], above), row[1], 1e-10));
    }
}

// Numbers below DBL_MIN have fewer digits, and what is divided by them overflows.
Test(special, gamma_quantiles_may_be_subnormal) {
    double below = hp_gamma_quantile_below(0.0032033872697505681, 0.1);
    cr_expect(agree(below, 3.80977346517e-313, 1e-9), "%.12g", below);
}

// The iteration is replaced by an expansion for large shapes.
Test(special, gamma_quantiles_are_continuous_where_the_method_changes) {
    for (double p = 1e-6; p < 0.4; p *= 7) {
        double before = hp_gamma_quantile_below(99999.9, p);
        double after = hp_gamma_quantile_below(100000.1, p);
        double slope = (after - before) / 0.2;
        cr_expect(fabs(slope - 1) < 0.02, "%g: %f", p, slope);
    }
}

// a, b, x; the probability of at most x.
static const double betas[][4] = {
    {4, 1, 0.5, 0.0625},
    {6, 2, 0.5, 0.0625},
    {10, 6, 0.5, 0.15087890625},
    {20, 11, 0.5, 0.04936857335269451},
    {130, 101, 0.5, 0.02780678889069619},
    {0.7, 2.5, 0.3, 0.711720746255319},
    {900, 910, 0.5, 0.5929363672514104},
    {3, 200, 0.01, 0.3287618289616106},
};

Test(special, beta_probabilities_have_ten_digits) {
    for (size_t i = 0; i < sizeof betas / sizeof *betas; i++) {
        const double *row = betas[i];
        double probability = hp_beta_below(row[0], row[1], row[2], 1 - row[2]);
        cr_expect(agree(probability, row[3], 1e-10), "row %zu: %.12g", i, probability);
    }
    cr_expect(agree(hp_beta_below(1e6, 1e6, 0.5, 0.5), 0.5, 1e-10));
}

// t, degrees of freedom; the probability of more than t.
static const double students[][3] = {
    {2, 5, 0.05096973941492918},
    {-1, 1, 0.75},
    {2.5, 30, 0.009057824534033347},
    {0.1, 2.5, 0.4639032720312448},
};

// A probability; the normal number that is exceeded with this probability.
static const double normals[][2] = {
    {0.025, 1.959963984540054}, {0.25, 0.6744897501960817}, {0.000001, 4.753424308822899},
    {1e-10, 6.361340902404056}, {0.9, -1.2815515655446},
};

Test(special, student_and_normal_have_ten_digits) {
    for (size_t i = 0; i < sizeof students / sizeof *students; i++) {
        double probability = hp_student_above(students[i][0], students[i][1]);
        cr_expect(agree(probability, students[i][2], 1e-10), "row %zu: %.12g", i,
                  probability);
    }
    for (size_t i = 0; i < sizeof normals / sizeof *normals; i++) {
        double z = hp_normal_quantile_above(normals[i][0]);
        cr_expect(agree(z, normals[i][1], 1e-10), "row %zu: %.12g", i, z);
    }
}

// n samples of small objects, in units of the period; the exact interval by Garwood.
static const double counts[][3] = {
    {0, 0, 3.688879454},
    {1, 0.02531780798, 5.571643391},
    {2, 0.2422092785, 7.224687668},
    {3, 0.6186721229, 8.76727307},
    {10, 4.795388696, 18.39035604},
    {100, 81.36399125, 121.6267938},
};

Test(interval, of_equal_samples_is_that_of_a_poisson_count) {
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double n = counts[i][0];
        struct hp_interval range =
            hp_interval_of((struct hp_measure){n, n, n, 0, 1}, 0.95);
        cr_expect(agree(range.low, counts[i][1], 1e-9), "row %zu: %.12g", i, range.low);
        cr_expect(agree(range.high, counts[i][2], 1e-9), "row %zu: %.12g", i, range.high);
    }
}

Test(interval, starts_at_what_is_certain) {
    struct hp_measure two = {16777216, 16777216, 1e3, 16777216, 524288};
    struct hp_interval range = hp_interval_of(two, 0.95);
    cr_expect_eq(range.low, 16777216);
    cr_expect_gt(range.high, 16777216);
}

Test(interval, of_exact_numbers_is_a_point) {
    struct hp_interval range =
        hp_interval_of((struct hp_measure){4096, 4096, 0, 4096, 0}, 0.95);
    cr_expect_eq(range.low, 4096);
    cr_expect_eq(range.high, 4096);
}

// Samples before and after; the exact conditional test, I_1/2(after, before + 1).
static const double growths[][3] = {
    {0, 4, 0.0625},
    {1, 6, 0.0625},
    {5, 10, 0.1508789063},
    {10, 20, 0.04936857335},
    {100, 130, 0.02780678889},
};

Test(growth, of_equal_samples_is_the_conditional_test) {
    for (size_t i = 0; i < sizeof growths / sizeof *growths; i++) {
        double n = growths[i][0], m = growths[i][1];
        double probability = hp_growth_p((struct hp_measure){n, n, n, 0, 1},
                                         (struct hp_measure){m, m, m, 0, 1});
        cr_expect(agree(probability, growths[i][2], 1e-9), "row %zu: %.12g", i,
                  probability);
    }
}

Test(growth, of_unequal_samples_is_that_of_the_melded_gamma_distributions) {
    double probability = hp_growth_p((struct hp_measure){3, 3, 2.5, 0, 1},
                                     (struct hp_measure){12, 12, 9, 0, 1});
    cr_expect(agree(probability, 0.01014, 5e-4), "%.12g", probability);
}

Test(growth, of_exact_numbers_is_certain) {
    struct hp_measure less = {10, 10, 0, 10, 0}, more = {11, 11, 0, 11, 0};
    cr_expect_eq(hp_growth_p(less, more), 0);
    cr_expect_eq(hp_growth_p(more, less), 1);
    cr_expect_eq(hp_growth_p(less, less), 1);
}

Test(growth, of_many_samples_is_nearly_normal) {
    double n = 4e6, m = 4e6 + 6000;
    double probability = hp_growth_p((struct hp_measure){n, n, n, 0, 1},
                                     (struct hp_measure){m, m, m, 0, 1});
    cr_expect(agree(probability, hp_normal_above(6000 / sqrt(n + m)), 1e-2), "%g",
              probability);
}

// Results are cached.  There are more shapes than the cache has room for, and each is
// asked for twice.
Test(special, quantiles_do_not_depend_on_what_was_asked_before) {
    enum {
        SHAPES = 3000
    };

    static double first[SHAPES][2];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < SHAPES; i++) {
            double shape = 0.5 + i * 0.01;
            double low = hp_gamma_quantile_below(shape, 0.025);
            double high = hp_gamma_quantile_above(shape, 0.025);
            cr_assert_lt(low, high);
            cr_assert_lt(low, hp_gamma_quantile_below(shape, 0.05));
            cr_assert(round == 0 || (low == first[i][0] && high == first[i][1]), "%d", i);
            first[i][0] = low;
            first[i][1] = high;
        }
    }
}

// Expected values for 8 and 7 objects of 5 periods, which were all sampled, are by SciPy's
// gamma.ppf, with the variance n S^2 (1 - p) / p^2 and the certain amount n S.
Test(interval, of_large_objects_leaves_open_what_can_have_been_missed) {
    static const double rows[][3] = {{8, 40.000000000000, 45.545562255861},
                                     {7, 35.000000000000, 40.347500311174}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double n = rows[i][0], size = 5, p = -expm1(-size);
        struct hp_measure m = {.estimate = n * size / p,
                               .highest = n * size / p,
                               .variance = n * size * size * (1 - p) / (p * p),
                               .observed = n * size,
                               .max_weight = 1};
        struct hp_interval range = hp_interval_of(m, 0.95);
        cr_expect(agree(range.low, rows[i][1], 1e-9), "%.15g", range.low);
        cr_expect(agree(range.high, rows[i][2], 1e-9), "%.15g", range.high);
    }
}
