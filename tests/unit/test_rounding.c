// Tests of rounding values so that they add up to the rounded total.
#include "view/rounding.h"

#include <criterion/criterion.h>

static const hp_fixed one = (hp_fixed)1 << HP_SPACE_FRACTION;

Test(apportion, gives_what_rounding_leaves_to_the_largest_fractions) {
    const hp_fixed values[] = {one / 4, one * 3 / 4, one * 5 + one / 2, one * 2};
    hp_int128 whole[4];
    hp_round_to_total(values, 4, HP_INUSE_SPACE, whole); // 8.5 is rounded to 9
    cr_expect(whole[0] == 0 && whole[1] == 1 && whole[2] == 6 && whole[3] == 2);
}

Test(apportion, gives_to_the_first_of_equal_fractions) {
    const hp_fixed values[] = {one * 2 / 5, one * 2 / 5, one * 2 / 5};
    hp_int128 whole[3];
    hp_round_to_total(values, 3, HP_INUSE_SPACE, whole);
    cr_expect(whole[0] == 1 && whole[1] == 0 && whole[2] == 0);
}

Test(apportion, adds_up_whatever_the_values) {
    hp_fixed values[257], total = 0;
    hp_int128 whole[257], sum = 0;
    uint64_t state = 1;
    for (int i = 0; i < 257; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        values[i] = (hp_fixed)(state >> 20);
        total += values[i];
    }
    hp_round_to_total(values, 257, HP_INUSE_SPACE, whole);
    for (int i = 0; i < 257; i++) {
        hp_fixed off = (whole[i] << HP_SPACE_FRACTION) - values[i];
        cr_expect(off > -one && off < one);
        sum += whole[i];
    }
    cr_expect(sum == hp_fixed_round(total, HP_INUSE_SPACE));
}

Test(apportion, counts_objects_in_their_own_unit) {
    const hp_fixed value = (hp_fixed)7 << HP_OBJECTS_FRACTION;
    hp_int128 whole;
    hp_round_to_total(&value, 1, HP_INUSE_OBJECTS, &whole);
    cr_expect(whole == 7);
}
