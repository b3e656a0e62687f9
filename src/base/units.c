#include "base/units.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Format a number in decimal, with commas between thousands if `commas` is set.
static void format(char *out, hp_int128 number, bool commas) {
    char reversed[HP_NUMBER_SIZE];
    size_t size = 0, digits = 0;
    hp_uint128 left = number < 0 ? -(hp_uint128)number : (hp_uint128)number;
    do {
        if (commas && digits > 0 && digits % 3 == 0) {
            reversed[size++] = ',';
        }
        // Nearly all numbers fit into 64 bits, and dividing these is much faster.
        bool is_short = left >> 64 == 0;
        reversed[size++] =
            (char)('0' + (int)(is_short ? (uint64_t)left % 10 : left % 10));
        left = is_short ? (uint64_t)left / 10 : left / 10;
        digits++;
    } while (left > 0);
    if (number < 0) {
        reversed[size++] = '-';
    }
    for (size_t i = 0; i < size; i++) {
        out[i] = reversed[size - 1 - i];
    }
    out[size] = '\0';
}

void hp_format_grouped(char *out, hp_int128 number) {
    format(out, number, true);
}

void hp_format_integer(char *out, hp_int128 number) {
    format(out, number, false);
}

// Write `number` / 10^decimals without trailing zeros.
static void format_decimals(char *out, uint64_t number, int decimals) {
    for (; decimals > 0 && number % 10 == 0; decimals--) {
        number /= 10;
    }
    hp_format_integer(out, (hp_int128)number);
    if (decimals > 0) { // there is at least one digit before the decimals
        char *point = out + strlen(out) - decimals;
        memmove(point + 1, point, (size_t)decimals + 1);
        *point = '.';
    }
}

// Format a number as printf() does with "%.9g".  Most numbers are at least 1 and below
// 10^9.  Such a double is an integer of 53 bits divided by a power of two, so that its
// nine digits follow from integer arithmetic, ten times as fast as from printf().
void hp_format_double(char *out, double number) {
    static const uint64_t powers[] = {1,      10,      100,      1000,     10000,
                                      100000, 1000000, 10000000, 100000000};
    int exponent;
    double mantissa = frexp(fabs(number), &exponent);
    if (number == 0) { // of rows that have nothing themselves, but call what has
        memcpy(out, signbit(number) ? "-0" : "0", signbit(number) ? 3 : 2);
        return;
    }
    if (!(exponent >= 1 && fabs(number) < 999999999)) {
        snprintf(out, HP_NUMBER_SIZE, "%.9g", number);
        return;
    }
    uint64_t bits = (uint64_t)ldexp(mantissa, DBL_MANT_DIG);
    int shift = DBL_MANT_DIG - exponent, decimals = 8;
    while (decimals > 0 && bits >> shift >= powers[9 - decimals]) {
        decimals--;
    }
    hp_uint128 scaled = (hp_uint128)bits * powers[decimals];
    hp_uint128 rest = scaled & (((hp_uint128)1 << shift) - 1);
    hp_uint128 half = (hp_uint128)1 << (shift - 1);
    uint64_t digits = (uint64_t)(scaled >> shift);
    // Ties to even, as printf() does.
    digits += rest > half || (rest == half && digits % 2 == 1);
    out[0] = '-';
    format_decimals(out + (number < 0), digits, decimals);
}

void hp_format_decimals(char *out, hp_int128 number, int decimals) {
    hp_uint128 left = number < 0 ? -(hp_uint128)number : (hp_uint128)number, scale = 1;
    for (int i = 0; i < decimals; i++) {
        scale *= 10;
    }
    out[0] = '-';
    char *end = out + (number < 0);
    hp_format_integer(end, (hp_int128)(left / scale));
    end += strlen(end);
    if (decimals > 0) {
        *end = '.';
    }
    for (int i = decimals; i > 0; i--) {
        end[i] = (char)('0' + (int)(left % 10));
        left /= 10;
    }
    end[decimals > 0 ? decimals + 1 : 0] = '\0';
}

// Names of units by powers of 1024.
static const char *const unit_names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

int hp_unit_power(hp_int128 number, enum hp_unit unit) {
    int last = (int)(sizeof unit_names / sizeof *unit_names) - 1;
    int power = unit == HP_UNIT_AUTO ? 0 : (int)unit - (int)HP_UNIT_B;
    hp_int128 size = number < 0 ? -number : number;
    // 1023.95 and more would be printed as 1024.0, so that it is written in the next unit
    while (unit == HP_UNIT_AUTO && power < last &&
           size * 20 >= (hp_int128)20479 << (20 + 10 * power)) {
        power++;
    }
    return power;
}

const char *hp_unit_text(int power) {
    return unit_names[power];
}

void hp_format_bytes(char *out, hp_int128 number, enum hp_unit unit) {
    hp_int128 size = number < 0 ? -number : number;
    int power = hp_unit_power(number, unit), shift = 20 + 10 * power;
    int decimals = power == 0 ? 0 : 1, scale = power == 0 ? 1 : 10;
    hp_int128 rounded = (size * scale + ((hp_int128)1 << (shift - 1))) >> shift;
    hp_format_decimals(out, number < 0 ? -rounded : rounded, decimals);
    strcat(strcat(out, " "), hp_unit_text(power));
}

void hp_format_size(char *out, uint64_t size) {
    int power = hp_unit_power((hp_int128)size << 20, HP_UNIT_AUTO);
    // Take a smaller unit until two decimals are exact.
    while (power > 0 && (hp_uint128)size * 100 % ((hp_uint128)1 << 10 * power) != 0) {
        power--;
    }
    hp_uint128 hundredths = (hp_uint128)size * 100 >> 10 * power;
    if (power == 0) {
        hp_format_grouped(out, (hp_int128)size);
    } else {
        format_decimals(out, (uint64_t)hundredths, 2);
    }
    strcat(strcat(out, " "), hp_unit_text(power));
}
