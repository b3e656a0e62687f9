#include "base/units.h"

#include <criterion/criterion.h>

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

Test(units, group_digits_by_three) {
    char text[HP_NUMBER_SIZE];
    hp_format_grouped(text, 999);
    cr_expect_str_eq(text, "999");
    hp_format_grouped(text, -1234567);
    cr_expect_str_eq(text, "-1,234,567");
    hp_format_integer(text, (hp_int128)1 << 100);
    cr_expect_str_eq(text, "1267650600228229401496703205376");
}
