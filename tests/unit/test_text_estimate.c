// Tests of estimates in text reports: a value and its interval.
#include "report/text/text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double kib = 1024, mib = 1024 * 1024, gib = 1024 * 1024 * 1024;

// Format an estimate.
static struct hp_text_estimate estimate(double value, double low, double high,
                                        enum hp_metric metric, enum hp_unit unit) {
    struct hp_text_estimate text;
    hp_text_measure(&text, hp_text_fixed(value, metric), (struct hp_interval){low, high},
                    metric, unit);
    return text;
}

// Expect the texts of a value in bytes and of its interval, in a unit.
static void expect_in(double value, double low, double high, enum hp_unit unit,
                      const char *number, const char *interval) {
    struct hp_text_estimate text = estimate(value, low, high, HP_INUSE_SPACE, unit);
    cr_expect_str_eq(text.value, number);
    cr_expect_str_eq(text.interval, interval);
}

static void expect(double value, double low, double high, const char *number,
                   const char *interval) {
    expect_in(value, low, high, HP_UNIT_AUTO, number, interval);
}

static void expect_objects(double value, double low, double high, const char *number,
                           const char *interval) {
    struct hp_text_estimate text =
        estimate(value, low, high, HP_INUSE_OBJECTS, HP_UNIT_GIB);
    cr_expect_str_eq(text.value, number);
    cr_expect_str_eq(text.interval, interval);
}

Test(text_estimate, has_both_ends_where_a_side_is_more_than_a_quarter_longer) {
    expect(100 * kib, 60 * kib, 150 * kib, "100 KiB", "± 50 KiB");
    expect(100 * kib, 60 * kib, 150.01 * kib, "100 KiB", "60 … 151 KiB");
    expect(100 * kib, 50 * kib, 140 * kib, "100 KiB", "± 50 KiB");
    expect(100 * kib, 49.99 * kib, 140 * kib, "100 KiB", "49 … 140 KiB");
    // A value is never below 0.
    expect(100 * kib, 10 * kib, 205 * kib, "100 KiB", "10 … 205 KiB");
}

Test(text_estimate, gives_the_error_two_digits_and_the_value_as_many_decimals) {
    expect(1331 * mib, 1331 * mib - 116.6 * mib, 1331 * mib + 116.6 * mib, "1.30 GiB",
           "± 0.12 GiB");
    expect(73.5 * mib, 68.6 * mib, 78.4 * mib, "73.5 MiB", "± 4.9 MiB");
    expect(896.2 * kib, 200 * kib, 1592.4 * kib, "896 KiB", "± 697 KiB");
    expect(300 * gib, 299.99 * gib, 300.0101 * gib, "300.000 GiB", "± 0.011 GiB");
    // There are three decimals at most.
    expect(300 * gib, 300 * gib - 1, 300 * gib + 1, "300.000 GiB", "± 0.001 GiB");
    expect(600, 400, 800, "600 B", "± 200 B");
}

Test(text_estimate, rounds_ends_outwards) {
    expect(172.1 * kib, 80.99 * kib, 740.01 * kib, "172 KiB", "80 … 741 KiB");
    expect(2.04 * mib, 1.06 * mib, 3.02 * mib, "2.04 MiB", "± 0.98 MiB");
    // If the value is rounded away from an end, the half interval becomes longer.
    expect(2.04 * mib, 1.03 * mib, 3.05 * mib, "2.0 MiB", "± 1.1 MiB");
    expect_objects(20.4, 17.9, 22.6, "20", "± 3");
    expect_objects(40.2, 39, 43.55, "40", "39 … 44");
}

Test(text_estimate, has_one_unit) {
    // The unit is that of the value, unless an end would be too long in it.
    expect(896 * kib, 360 * kib, 1846.2 * kib, "896 KiB", "360 … 1847 KiB");
    expect(900 * kib, 100 * kib, 12 * mib, "1 MiB", "0 … 12 MiB");
    expect(0, 0, 579.2 * kib, "0 B", "0 … 580 KiB");
    expect_in(16 * mib, 16 * mib, 16.44 * mib, HP_UNIT_B, "16777216 B",
              "16777216 … 17238590 B");
    expect_in(16 * mib, 16 * mib, 16.44 * mib, HP_UNIT_KIB, "16384 KiB",
              "16384 … 16835 KiB");
    expect_in(16 * mib, 16 * mib, 16.44 * mib, HP_UNIT_GIB, "0.016 GiB",
              "0.015 … 0.017 GiB");
    expect_objects(1234567, 1000000, 1500000, "1,234,567", "± 265,433");
}

Test(text_estimate, is_a_plain_value_where_nothing_is_open_or_known) {
    expect(153.52 * mib, NAN, NAN, "153.5 MiB", "");
    expect(153.5 * mib, 153.5 * mib, 153.5 * mib, "153.5 MiB", "");
}

// --- any interval ----------------------------------------------------------------------

// The number in a text, with the unit at the end of `unit_from`.
static double number_of(const char *text, const char *unit_from) {
    static const char *const units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
    char digits[HP_NUMBER_SIZE];
    size_t count = 0;
    for (; (*text >= '0' && *text <= '9') || *text == '.' || *text == ','; text++) {
        digits[count] = *text;
        count += *text != ',';
    }
    digits[count] = '\0';
    double number = strtod(digits, NULL);
    for (int i = 0; i < 6; i++) {
        const char *end = strstr(unit_from, units[i]);
        number = end && end[strlen(units[i])] == '\0' ? ldexp(number, 10 * i) : number;
    }
    return number;
}

// The interval as printed.
static struct hp_interval interval_of(const struct hp_text_estimate *text) {
    const char *half = strstr(text->interval, "± "), *to = strstr(text->interval, " … ");
    if (half) {
        double value = number_of(text->value, text->value);
        double size = number_of(half + strlen("± "), text->interval);
        return (struct hp_interval){value - size, value + size};
    }
    cr_assert_not_null(to, "%s", text->interval);
    return (struct hp_interval){number_of(text->interval, text->interval),
                                number_of(to + strlen(" … "), text->interval)};
}

// A random number from 0 to 1.
static double chance(uint64_t *state) {
    *state = *state * 6364136223846793005 + 1442695040888963407;
    return (double)(*state >> 11) * 0x1p-53;
}

// The printed interval contains the exact one.  It may be larger by a quarter if it is
// printed as one half, and by rounding: ends have two digits, so that this is less than a
// fifth of the longer side.
Test(text_estimate, holds_what_the_interval_holds_and_little_more) {
    uint64_t state = 1;
    for (size_t i = 0; i < 200000; i++) {
        enum hp_metric metric = i % 4 == 0 ? HP_INUSE_OBJECTS : HP_INUSE_SPACE;
        double value = exp2(chance(&state) * 50);
        double low = value * chance(&state);
        double high = value * (1 + chance(&state) * (i % 3 == 0 ? 10 : 1));
        struct hp_text_estimate text = estimate(value, low, high, metric, HP_UNIT_AUTO);
        struct hp_interval printed = interval_of(&text);
        double rounding = fmax(value - low, high - value) / 5 + 2;
        double room = rounding + (text.is_half ? (high - low) / 4 : 0);
        double tiny = value * 1e-12;
        cr_assert(printed.low <= low + tiny && printed.high >= high - tiny &&
                      printed.low >= low - room && printed.high <= high + room,
                  "%f, %f ... %f: %s, %s", value, low, high, text.value, text.interval);
    }
}

Test(text_estimate, prints_upper_bounds_of_bytes_rounded_up) {
    char text[HP_NUMBER_SIZE];
    hp_text_about(text, 584.51 * kib, HP_UNIT_AUTO);
    cr_expect_str_eq(text, "584.5 KiB");
    hp_text_at_most(text, 584.51 * kib, HP_UNIT_AUTO);
    cr_expect_str_eq(text, "584.6 KiB");
    hp_text_at_most(text, 584.51 * kib, HP_UNIT_MIB);
    cr_expect_str_eq(text, "0.58 MiB");
    hp_text_at_most(text, 584.51 * kib, HP_UNIT_GIB);
    cr_expect_str_eq(text, "0.001 GiB");
    hp_text_at_most(text, 584.51 * kib, HP_UNIT_B);
    cr_expect_str_eq(text, "598539 B");
    hp_text_about(text, 0, HP_UNIT_AUTO);
    cr_expect_str_eq(text, "0 B");
}

// The change and its interval, "+44.5 MiB|+41.2 … +47.9".
static const char *change(double value, double low, double high) {
    static char both[2 * HP_INTERVAL_SIZE];
    struct hp_text_estimate text;
    hp_text_change(&text, hp_text_fixed(value * mib, HP_INUSE_SPACE),
                   (struct hp_interval){low * mib, high * mib}, HP_INUSE_SPACE,
                   HP_UNIT_AUTO);
    snprintf(both, sizeof both, "%s|%s%s", text.value, text.interval,
             text.is_half ? " ±" : "");
    return both;
}

Test(text_estimate, the_interval_of_a_change_has_signs_and_the_unit_of_the_change) {
    cr_expect_str_eq(change(44.5, 41.2, 47.9), "+44.5 MiB|+41.2 … +47.9 ±");
    cr_expect_str_eq(change(-44.5, -47.9, -41.2), "-44.5 MiB|-47.9 … -41.2 ±");
    cr_expect_str_eq(change(20, -10, 2000), "+20 MiB|-10 … +2000");
    cr_expect_str_eq(change(0, -2, 2), "0 B|-2.0 … +2.0 MiB");
    cr_expect_str_eq(change(1, 1, 1), "+1.0 MiB|");
    cr_expect_str_eq(change(1, NAN, NAN), "+1.0 MiB|-");
}

Test(text_estimate, an_end_that_is_not_known_is_a_question_mark) {
    cr_expect_str_eq(change(20, -INFINITY, INFINITY), "+20.0 MiB|?");
    cr_expect_str_eq(change(0, -INFINITY, INFINITY), "0 B|?");
    cr_expect_str_eq(change(44.5, 41.2, INFINITY), "+44.5 MiB|+41.2 … ?");
    cr_expect_str_eq(change(-44.5, -INFINITY, -41.2), "-44.5 MiB|? … -41.2");
}

Test(text_estimate, a_series_is_drawn_from_zero_in_at_most_sixteen_cells) {
    char text[HP_TEXT_SERIES_SIZE];
    double values[40];
    for (size_t i = 0; i < 40; i++) {
        values[i] = (double)i;
    }
    hp_text_series(text, values, 9);
    cr_expect_str_eq(text, "▁▁▂▃▄▅▆▇█");
    hp_text_series(text, values, 40);
    cr_expect_eq(hp_text_cells(hp_span_of(text), false), 14);
    hp_text_series(text, (double[]){990, 1000}, 2);
    cr_expect_str_eq(text, "██", "noise is no growth");
    hp_text_series(text, (double[]){0, 0}, 2);
    cr_expect_str_eq(text, "▁▁");
}
