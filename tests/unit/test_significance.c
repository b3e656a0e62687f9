// Tests of p-values adjusted by Benjamini and Hochberg.
#include "stats/measure.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum {
    MOST = 15,
};

// Adjust the p-values `p` and expect `q`; NAN: not tested.
static void expect(const double *p, const double *q, size_t count) {
    double adjusted[MOST];
    memcpy(adjusted, p, count * sizeof *p);
    hp_adjust_significance(adjusted, count);
    for (size_t i = 0; i < count; i++) {
        if (isnan(q[i])) {
            cr_expect(isnan(adjusted[i]), "%zu: %.17g", i, adjusted[i]);
        } else {
            cr_expect(fabs(adjusted[i] - q[i]) <= 1e-15, "%zu: %.17g", i, adjusted[i]);
        }
    }
}

Test(significance, of_one_p_is_that_p) {
    for (double p = 0; p <= 1; p += 1. / 64) {
        expect(&p, &p, 1);
    }
}

Test(significance, multiplies_each_by_how_many_there_are_for_its_rank) {
    const double p[] = {0.01, 0.02, 0.2, 0.8};
    const double q[] = {0.04, 0.04, 0.8 / 3, 0.8};
    expect(p, q, 4);
}

Test(significance, stays_with_its_row_whatever_the_order) {
    const double p[] = {0.8, 0.01, 0.2, 0.02};
    const double q[] = {0.8, 0.04, 0.8 / 3, 0.04};
    expect(p, q, 4);
}

// 0.04 x 4/2 = 0.08 exceeds 0.045 x 4/3 = 0.06, so that the smaller one is used for both.
Test(significance, is_never_more_than_that_of_a_larger_p) {
    const double p[] = {0.001, 0.04, 0.045, 1};
    const double q[] = {0.004, 0.06, 0.06, 1};
    expect(p, q, 4);
}

Test(significance, of_equal_p_is_that_of_the_last_of_them) {
    const double all[] = {0.03, 0.03, 0.03};
    expect(all, all, 3);
    const double p[] = {0.5, 0.01, 0.5, 0.01, 1};
    const double q[] = {0.625, 0.025, 0.625, 0.025, 1};
    expect(p, q, 5);
}

Test(significance, of_certain_things_is_certain) {
    const double p[] = {1, 0, 1, 0};
    expect(p, p, 4);
}

Test(significance, leaves_out_what_was_not_tested) {
    const double p[] = {NAN, 0.01, NAN, NAN, 0.03, 0.5, NAN};
    const double q[] = {NAN, 0.03, NAN, NAN, 0.045, 0.5, NAN};
    expect(p, q, 7);
}

Test(significance, of_nothing_tested_is_nothing) {
    const double p[] = {NAN, NAN, NAN};
    expect(p, p, 3);
    hp_adjust_significance(NULL, 0);
}

// The example in section 3.2 of the article; at q = 0.05 it finds the first four.
Test(significance, of_the_example_of_benjamini_and_hochberg) {
    const double p[MOST] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201,
                            0.0278, 0.0298, 0.0344, 0.0459, 0.3240,
                            0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
    const double q[MOST] = {
        0.0015,           0.003,           0.0095,           0.035625,        0.0603,
        0.0298 * 15 / 7,  0.0298 * 15 / 7, 0.0645,           0.0765,          0.486,
        0.4262 * 15 / 11, 0.714875,        0.6528 * 15 / 13, 0.759 * 15 / 14, 1};
    expect(p, q, MOST);
}
