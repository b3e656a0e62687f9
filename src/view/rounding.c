// Round all values down; then add 1 to the values with the largest fractions, until the
// sum is right.  Of equal fractions the first ones are chosen.
#include "view/rounding.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// The largest fractions are found by a radix select: digit by digit of the fractions.
enum {
    DIGIT = 8, // bits of a digit
    DIGITS = 1 << DIGIT,
};

// A value that is not a whole number, and the fraction that rounding down removes.
struct fraction {
    uint64_t left; // the fraction that rounding down removes, in fixed point
    size_t place;  // index of the value in `values`
};

// For each digit d, count the fractions that have d at bit `shift`, and whose higher
// digits are `above`.
static void count_digits(const struct fraction *fractions, size_t count, int shift,
                         uint64_t above, size_t counts[DIGITS]) {
    memset(counts, 0, DIGITS * sizeof *counts);
    for (size_t i = 0; i < count; i++) {
        if (fractions[i].left >> shift >> DIGIT == above) {
            counts[fractions[i].left >> shift & (DIGITS - 1)]++;
        }
    }
}

// Return the smallest of the `most` largest fractions.  *equal becomes the number of
// fractions with this value that are among the `most` largest.
static uint64_t find_least(const struct fraction *fractions, size_t count, size_t most,
                           size_t *equal) {
    size_t counts[DIGITS], left = most;
    uint64_t least = 0;
    for (int shift = HP_OBJECTS_FRACTION - DIGIT; shift >= 0; shift -= DIGIT) {
        size_t digit = DIGITS - 1;
        count_digits(fractions, count, shift, least, counts);
        for (; left > counts[digit]; digit--) {
            left -= counts[digit];
        }
        least = least << DIGIT | digit;
    }
    *equal = left;
    return least;
}

// Move the `most` largest fractions to the front; of equal fractions, the first ones.
// Takes linear time: a sort would take most of the time of writing a merge report.
static void select_largest(struct fraction *fractions, size_t count, size_t most) {
    size_t equal, kept = 0;
    if (most == 0) {
        return;
    }
    uint64_t least = find_least(fractions, count, most, &equal);
    for (size_t i = 0; i < count; i++) {
        bool is_equal = fractions[i].left == least && equal > 0;
        if (fractions[i].left > least || is_equal) {
            equal -= is_equal;
            fractions[kept++] = fractions[i];
        }
    }
}

void hp_round_to_total(const hp_fixed *values, size_t count, enum hp_metric metric,
                       hp_int128 *whole) {
    struct fraction *fractions = hp_alloc(count * sizeof *fractions);
    size_t used = 0;
    hp_fixed total = 0;
    hp_int128 given = 0;
    for (size_t i = 0; i < count; i++) {
        whole[i] = values[i] >> hp_fraction(metric);
        hp_fixed left = values[i] - whole[i] * ((hp_fixed)1 << hp_fraction(metric));
        if (left > 0) {
            fractions[used++] = (struct fraction){(uint64_t)left, i};
        }
        total += values[i];
        given += whole[i];
    }
    hp_int128 units = hp_fixed_round(total, metric) - given;
    size_t most = units < 0 ? 0 : units < (hp_int128)used ? (size_t)units : used;
    select_largest(fractions, used, most);
    for (size_t i = 0; i < most; i++) {
        whole[fractions[i].place]++;
    }
    free(fractions);
}
