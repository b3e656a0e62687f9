// Tests of fixed-point values.
#include "base/values.h"

#include <criterion/criterion.h>

Test(values, round_halves_away_from_zero) {
    hp_fixed half = (hp_fixed)1 << (HP_SPACE_FRACTION - 1);
    cr_expect_eq((long)hp_fixed_round(half, HP_INUSE_SPACE), 1);
    cr_expect_eq((long)hp_fixed_round(half - 1, HP_INUSE_SPACE), 0);
    cr_expect_eq((long)hp_fixed_round(-half, HP_INUSE_SPACE), -1);
    cr_expect_eq((long)hp_fixed_round(-half + 1, HP_INUSE_SPACE), 0);
}

Test(values, report_a_sum_that_does_not_fit) {
    hp_fixed most = (hp_fixed)(~(hp_uint128)0 >> 1);
    struct hp_values a = {{most, 0, 0, 0}}, b = {{1, 0, 0, 0}};
    cr_expect_not(hp_values_add(&a, &b));
    a = (struct hp_values){{most - 1, 0, 0, 0}};
    cr_expect(hp_values_add(&a, &b));
}
