// Tests of hp_cursor, which reads numbers and characters of a text.
#include "base/cursor.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct {
    const char *text;
    bool good;
    uint64_t value;
} numbers[] = {
    {"0", true, 0},
    {"00042", true, 42},
    {"18446744073709551615", true, UINT64_MAX},
    {"18446744073709551616", false, 0},
    {"99999999999999999999999999", false, 0},
    {"", false, 0},
    {"x", false, 0},
    {"-1", false, 0},
};

Test(cursor, reads_a_decimal_below_2_64) {
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const char *text = numbers[i].text;
        struct hp_cursor c = hp_cursor_over(text, text + strlen(text));
        uint64_t value = hp_cursor_decimal(&c);
        cr_expect_eq(hp_cursor_good(&c), numbers[i].good, "\"%s\"", text);
        cr_expect_eq(value, numbers[i].value, "\"%s\"", text);
    }
}

Test(cursor, distinguishes_a_number_that_is_too_big_from_none) {
    const char *text = "18446744073709551616";
    struct hp_cursor c = hp_cursor_over(text, text + strlen(text));
    hp_cursor_decimal(&c);
    cr_expect(c.too_big);
    c = hp_cursor_over("x", "x");
    hp_cursor_decimal(&c);
    cr_expect_not(c.too_big);
}

Test(cursor, knows_the_hexadecimal_digits_of_all_bytes) {
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    for (int byte = 0; byte < 256; byte++) {
        const char *found = memchr(digits, byte, sizeof digits - 1);
        unsigned digit = found ? (unsigned)(found - digits) % 16 : 16;
        cr_expect_eq(hp_hex_digit((char)byte), digit, "%d", byte);
    }
}

Test(cursor, reads_hexadecimal_with_and_without_prefix) {
    const char *text = "0xFFffffffFFffffff ab";
    struct hp_cursor c = hp_cursor_over(text, text + strlen(text));
    cr_expect_eq(hp_cursor_hex(&c), UINT64_MAX);
    hp_cursor_spaces(&c);
    cr_expect_eq(hp_cursor_hex(&c), 0xab);
    cr_expect(hp_cursor_at_end(&c));
    text = "0x10000000000000000";
    c = hp_cursor_over(text, text + strlen(text));
    hp_cursor_hex(&c);
    cr_expect_not(hp_cursor_good(&c));
}

Test(cursor, keeps_its_first_failure) {
    const char *text = "a";
    struct hp_cursor c = hp_cursor_over(text, text + 1);
    hp_cursor_expect(&c, ':', "':'");
    hp_cursor_decimal(&c);
    cr_expect_str_eq(c.expected, "':'");
    cr_expect_eq(c.at, text);
}

Test(cursor, takes_crlf_and_white_space_for_the_end_of_a_line) {
    const char *text = " \t\r\nnext";
    struct hp_cursor c = hp_cursor_over(text, text + strlen(text));
    hp_cursor_newline(&c);
    cr_expect(hp_cursor_good(&c));
    cr_expect_eq(*c.at, 'n');
}
