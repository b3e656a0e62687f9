// Tests of the distribution of the difference of two gamma variables.
#include "core/random.h"
#include "stats/gamma_difference.h"

#include <criterion/criterion.h>
#include <math.h>

// Whether `a` is within a relative error of `b`.
static bool agree(double a, double b, double relative) {
    return fabs(a - b) <= relative * fabs(b);
}

// Shape and scale of X; shape and scale of Y; p; the p-quantile of X - Y, by mpmath with
// 30 digits, by quadrature over Y.
static const double quantiles[][6] = {
    {1, 1, 1, 1, 0.025, -2.995732273554},
    {4, 1, 1, 1, 0.025, -0.9162907318742},
    {10, 1, 6, 1, 0.025, -3.703485377319},
    {10, 1, 6, 1, 0.005, -6.40047813711},
    {20, 1, 11, 1, 0.05, 0.03367232424564},
    {130, 1, 101, 1, 0.025, -0.6965783254864},
    {16, 0.75, 32 / 7., 0.875, 0.025, 1.297821359543},
    {3.7, 0.5, 20.25, 0.25, 0.025, -6.099103983253},
    {1000, 1, 901, 1, 0.0005, -44.44548071643},
    {1000, 1, 901, 1, 0.025, 13.58457354303},
};

Test(gamma_difference, quantiles_have_eight_digits) {
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
        const double *row = quantiles[i];
        struct hp_gamma x = {row[0], row[1]}, y = {row[2], row[3]};
        double quantile = hp_gamma_difference_quantile(x, y, row[4], 0);
        cr_expect(agree(quantile, row[5], 1e-8), "row %zu: %.13g", i, quantile);
        cr_expect(agree(hp_gamma_difference_below(x, y, row[5]), row[4], 1e-8));
    }
}

// For two exponential variables the distribution has a closed form on both sides of 0.
Test(gamma_difference, of_exponential_ones_is_known_everywhere) {
    for (double r = 0.1; r < 20; r *= 3) {
        struct hp_gamma x = {1, r}, y = {1, 1};
        for (double d = -4.9; d < 30; d += 0.7) {
            double below = d < 0 ? exp(d) / (1 + r) : 1 - exp(-d / r) * r / (1 + r);
            double got = hp_gamma_difference_below(x, y, d);
            cr_expect(agree(got, below, 1e-4), "%g at %g: %.12g %.12g", r, d, got, below);
        }
    }
}

// A random number between two, uniform on a logarithmic scale.
static double any(struct hps_random *random, double least, double most) {
    return least * pow(most / least, hps_random_unit(random));
}

// This has to be true for all shapes, also if the quantile is close to 0.
Test(gamma_difference, quantiles_are_above_0_exactly_where_less_than_p_is_below) {
    struct hps_random random;
    hps_random_init(&random, 1);
    size_t near = 0, above = 0;
    for (int i = 0; i < 40000; i++) {
        struct hp_gamma x = {any(&random, 0.5, 1e7), any(&random, 0.1, 10)};
        struct hp_gamma y = {any(&random, 0.5, 1e7), 1};
        double sd = sqrt(x.shape * x.scale * x.scale + y.shape);
        if (i % 2) { // the mean is about twice the standard deviation
            double mean = y.shape + sd * any(&random, 1, 4);
            x.scale = mean / x.shape;
        }
        double at_0 = hp_gamma_difference_below(x, y, 0);
        bool is_near = at_0 > 1e-6 && at_0 < 0.3;
        double p = is_near && i % 4 == 1 ? at_0 * (1 + any(&random, 1e-14, 1e-3)) : 0.025;
        double quantile = hp_gamma_difference_quantile(x, y, p, 0);
        cr_expect((quantile > 0) == (at_0 < p), "%g %g %g: %g, %g below 0, p %g", x.shape,
                  x.scale, y.shape, quantile, at_0, p);
        near += is_near;
        above += quantile > 0;
    }
    cr_expect(near > 1000 && above > 1000, "%zu %zu", near, above);
}
