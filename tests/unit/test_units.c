// Tests of numbers in text: units, digit groups and doubles.
#include "base/units.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

static const struct {
    double bytes;
    enum hp_unit unit;
    const char *text;
} sizes[] = {
    {0, HP_UNIT_AUTO, "0 B"},
    {512, HP_UNIT_AUTO, "512 B"},
    {1023.4, HP_UNIT_AUTO, "1023 B"},
    {1024, HP_UNIT_AUTO, "1.0 KiB"},
    {1023.97 * 1024, HP_UNIT_AUTO, "1.0 MiB"},
    {1536 * 1024, HP_UNIT_AUTO, "1.5 MiB"},
    {-1536 * 1024, HP_UNIT_AUTO, "-1.5 MiB"},
    {1536 * 1024, HP_UNIT_B, "1572864 B"},
    {1536 * 1024, HP_UNIT_KIB, "1536.0 KiB"},
    {1536 * 1024, HP_UNIT_GIB, "0.0 GiB"},
    {0x1p63, HP_UNIT_AUTO, "8.0 EiB"},
};

Test(units, give_every_size_the_largest_unit_that_leaves_it_above_1) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char text[HP_NUMBER_SIZE];
        hp_format_bytes(text, (hp_int128)(sizes[i].bytes * 0x1p20), sizes[i].unit);
        cr_expect_str_eq(text, sizes[i].text);
    }
}

Test(units, print_every_size_of_an_object_exactly) {
    static const struct {
        uint64_t size;
        const char *text;
    } objects[] = {
        {8, "8 B"},
        {1023, "1,023 B"},
        {1024, "1 KiB"},
        {1280, "1.25 KiB"},
        {1300, "1,300 B"},
        {4698112, "4588 KiB"},
        {1572864, "1.5 MiB"},
        {UINT64_C(7) << 61, "14 EiB"},
        {UINT64_MAX, "18,446,744,073,709,551,615 B"},
    };

    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        char text[HP_NUMBER_SIZE];
        hp_format_size(text, objects[i].size);
        cr_expect_str_eq(text, objects[i].text);
    }
}

Test(units, group_digits_by_three) {
    char text[HP_NUMBER_SIZE];
    hp_format_grouped(text, 999);
    cr_expect_str_eq(text, "999");
    hp_format_grouped(text, -1234567);
    cr_expect_str_eq(text, "-1,234,567");
    hp_format_integer(text, (hp_int128)1 << 100);
    cr_expect_str_eq(text, "1267650600228229401496703205376");
}

Test(units, writes_doubles_as_printf_does) {
    static const double numbers[] = {
        0,           -0.0,        1,           -1,           0.5,
        1.5,         2.25,        9.99999999,  9.999999995,  9.9999999949,
        99.99999995, 123456789.5, 123456788.5, 999999998.4,  999999999,
        999999999.5, 1e9,         1.0000001e9, 1.23456789e8, 1.234567895e8,
        1e-5,        1e300,       -12345.678,  4503599627.5, 1.000000005,
    };
    char ours[HP_NUMBER_SIZE], theirs[HP_NUMBER_SIZE];
    uint64_t state = 1;
    for (size_t i = 0; i < 1000000; i++) {
        bool is_listed = i < sizeof numbers / sizeof *numbers;
        state = state * 6364136223846793005 + 1442695040888963407;
        // With many ties.
        double few = (double)(state >> 40) / (double)(1 << (state & 15));
        double many = ldexp((double)(state >> 11), -(int)(state & 63));
        double number = is_listed ? numbers[i] : i % 2 ? few : many;
        hp_format_double(ours, number);
        snprintf(theirs, sizeof theirs, "%.9g", number);
        cr_assert_str_eq(ours, theirs, "%a", number);
    }
}
