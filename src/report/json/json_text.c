#include "report/json/json_text.h"

#include "base/units.h"
#include "base/utf8.h"

#include <math.h>

void hp_json_characters(struct hp_sink *out, struct hp_span text) {
    for (;;) {
        size_t plain = hp_plain_size(text);
        hp_sink_put(out, text.at, plain);
        text = hp_span_from(text, plain);
        if (text.size == 0) {
            return;
        }
        struct hp_utf8 c = hp_utf8_first(text);
        if (!c.valid) {
            hp_sink_text(out, "\\ufffd");
        } else if (c.code == '"' || c.code == '\\') {
            hp_sink_print(out, "\\%c", (int)c.code);
        } else if (!c.safe && c.code < 0x10000) {
            hp_sink_print(out, "\\u%04x", (unsigned)c.code);
        } else if (!c.safe) {
            hp_sink_print(out, "\\u%04x\\u%04x",
                          (unsigned)(0xd800 + ((c.code - 0x10000) >> 10)),
                          (unsigned)(0xdc00 + ((c.code - 0x10000) & 0x3ff)));
        } else {
            hp_sink_put(out, text.at, c.size);
        }
        text = hp_span_from(text, c.size);
    }
}

void hp_json_string(struct hp_sink *out, struct hp_span text) {
    hp_sink_put(out, "\"", 1);
    hp_json_characters(out, text);
    hp_sink_put(out, "\"", 1);
}

void hp_json_text(struct hp_sink *out, struct hp_span text) {
    if (text.size > 0) {
        hp_json_string(out, text);
    } else {
        hp_sink_put(out, "null", 4);
    }
}

void hp_json_fixed(struct hp_sink *out, hp_fixed value, enum hp_metric metric) {
    int fraction = hp_fraction(metric);
    hp_int128 half = (hp_int128)1 << (fraction - 1);
    hp_int128 size = value < 0 ? -value : value;
    // The whole part is computed separately, so that nothing overflows.
    hp_int128 whole = size >> fraction;
    hp_int128 rest = size - (whole << fraction);
    int thousandths = (int)((rest * 1000 + half) >> fraction);
    whole += thousandths / 1000;
    thousandths %= 1000;
    hp_sink_put(out, "-", value < 0);
    hp_sink_integer(out, whole);
    hp_sink_put(out,
                (char[]){'.', (char)('0' + thousandths / 100),
                         (char)('0' + thousandths / 10 % 10),
                         (char)('0' + thousandths % 10)},
                4);
}

void hp_json_double(struct hp_sink *out, double value) {
    if (isfinite(value)) {
        char text[HP_NUMBER_SIZE];
        hp_format_double(text, value);
        hp_sink_text(out, text);
    } else {
        hp_sink_put(out, "null", 4);
    }
}

// Write a number with at most `digits` significant digits; null if it is not finite.
static void put_digits(struct hp_sink *out, int digits, double value) {
    if (isfinite(value)) {
        hp_sink_print(out, "%.*g", digits, value);
    } else {
        hp_sink_put(out, "null", 4);
    }
}

void hp_json_p(struct hp_sink *out, double value) {
    put_digits(out, 7, value);
}

void hp_json_rough(struct hp_sink *out, double value) {
    put_digits(out, 4, value);
}
