#include "base/cursor.h"

// Eight characters that are no digits; the characters from '`' or '@' to 'g' or 'G',
// among them the six digits A to F.
#define NONE    16, 16, 16, 16, 16, 16, 16, 16
#define LETTERS 16, 10, 11, 12, 13, 14, 15, 16

const unsigned char hp_hex_digits[256] = {
    NONE,    NONE, NONE, NONE, NONE,    NONE, // 0 to 47, before '0': no digits
    0,       1,    2,    3,    4,       5,    6,    7,
    8,       9,    16,   16,   16,      16,   16,   16,   // "0" to "?"
    LETTERS, NONE, NONE, NONE, LETTERS, NONE, NONE, NONE, // "@" to 127
    NONE,    NONE, NONE, NONE, NONE,    NONE, NONE, NONE,
    NONE,    NONE, NONE, NONE, NONE,    NONE, NONE, NONE,
};

// Fail because a number does not fit; only the first failure of a cursor sets `too_big`.
static uint64_t too_big(struct hp_cursor *c) {
    c->too_big |= !c->expected;
    hp_cursor_fail(c, HP_WORDS("number-too-large", "a number below 2^64"));
    return 0;
}

uint64_t hp_cursor_decimal(struct hp_cursor *c) {
    uint64_t value = 0;
    const char *start = c->at;
    for (; !c->expected && c->at < c->end; c->at++) {
        unsigned digit = (unsigned)(*c->at - '0');
        if (digit > 9) {
            break;
        }
        if (value > (UINT64_MAX - digit) / 10) {
            return too_big(c);
        }
        value = value * 10 + digit;
    }
    if (c->at == start) {
        hp_cursor_fail(c, HP_WORDS("number-expected", "a number"));
    }
    return c->expected ? 0 : value;
}

uint64_t hp_cursor_hex(struct hp_cursor *c) {
    uint64_t value = 0;
    if (c->expected) {
        return 0;
    }
    c->at += c->end - c->at >= 2 && c->at[0] == '0' && c->at[1] == 'x' ? 2 : 0;
    const char *start = c->at, *at = start, *end = c->end;
    for (unsigned digit; at < end && (digit = hp_hex_digit(*at)) < 16; at++) {
        if (value >> 60) {
            c->at = at;
            return too_big(c);
        }
        value = value << 4 | digit;
    }
    c->at = at;
    if (at == start) {
        hp_cursor_fail(c, HP_WORDS("hex-number-expected", "a hexadecimal number"));
    }
    return value;
}

double hp_cursor_seconds(struct hp_cursor *c) {
    uint64_t whole = hp_cursor_decimal(c), fraction = 0, unit = 1;
    // Digits after the ninth are skipped: they are below a nanosecond.
    if (hp_cursor_accept(c, '.')) {
        for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
            if (unit < 1000000000) {
                unit *= 10;
                fraction = fraction * 10 + (uint64_t)(*c->at - '0');
            }
        }
    }
    return (double)whole + (double)fraction / (double)unit;
}

void hp_cursor_newline(struct hp_cursor *c) {
    hp_cursor_spaces(c);
    hp_cursor_accept(c, '\r');
    if (!hp_cursor_accept(c, '\n') && !hp_cursor_at_end(c)) {
        hp_cursor_fail(c, HP_WORDS("line-end-expected", "the end of the line"));
    }
}

struct hp_span hp_cursor_line(struct hp_cursor *c) {
    const char *newline = memchr(c->at, '\n', (size_t)(c->end - c->at));
    const char *end = newline ? newline : c->end;
    struct hp_span line = {c->at, (size_t)(end - c->at)};
    c->at = newline ? newline + 1 : c->end;
    if (line.size > 0 && line.at[line.size - 1] == '\r') {
        line.size--;
    }
    return line;
}
