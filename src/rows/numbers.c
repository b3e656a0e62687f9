// Numbers with seven digits: x = m 10^(e - 6) with 10^6 <= m < 10^7 rounded to a whole
// number.  m is found by one division or multiplication by a power of ten; for powers up
// to 10^22, which doubles have exactly, it is rounded once.  No libm is used, so that
// every machine writes the same digits.
#include "rows/numbers.h"

#include "base/utf8.h"
#include "stats/measure.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

enum {
    DIGITS = 7,            // significant digits of a number
    MOST_PLAIN = 15,       // digits before the point, beyond which there is an exponent
    LEAST_PLAIN = -5,      // power of ten below which there is an exponent
    POWERS = 64,           // powers of ten in the table
    ID_DIGITS = 16,        // digits of an id
    NUMBER_ROOM = 48,      // bytes of a number as text
    MILLION = 1000000,     // the least m
    TEN_MILLION = 10000000 // above the largest m
};

// --- numbers ---------------------------------------------------------------------------

// Convert a number of bytes to 63 bits.  Returns false if it has more.
static bool narrow(hp_int128 number, int64_t *narrowed) {
    *narrowed = (int64_t)number;
    return *narrowed == number;
}

bool hp_row_numbers_set(struct hp_row_numbers *numbers, enum hp_column column,
                        const struct hp_input_record *input,
                        const struct hp_values *values, const struct hp_error *error) {
    enum hp_metric space = hp_space_of(column), objects = hp_objects_of(column);
    bool has_column = column == HP_COLUMN_INUSE || input->has_alloc;
    *numbers = (struct hp_row_numbers){.known = 0};
    if (!has_column) {
        return true;
    }
    if ((input->missing_metrics & 1U << space) == 0) {
        numbers->known |= HP_ROW_HAS_BYTES;
    }
    if ((input->missing_metrics & 1U << objects) == 0) {
        numbers->known |= HP_ROW_HAS_OBJECTS;
        numbers->known |=
            hp_measure_is_known(error, objects) ? HP_ROW_HAS_OBJECTS_VARIANCE : 0;
    }
    numbers->objects = hp_fixed_double(values->of[objects], objects);
    numbers->variance = (double)error->variance;
    numbers->objects_variance =
        (double)error->objects_variance / (1 << HP_ERROR_FRACTION);
    bool fits = narrow(hp_fixed_round(values->of[space], space), &numbers->bytes);
    fits &= narrow((hp_int128)error->hidden_bytes_max, &numbers->hidden);
    fits &= narrow((hp_int128)error->excess_bytes_max, &numbers->excess);
    fits &= narrow((hp_int128)error->observed_bytes, &numbers->certain);
    fits &= narrow((hp_int128)error->samples, &numbers->samples);
    return fits;
}

// --- digits ----------------------------------------------------------------------------

// Return 10^power, 0 <= power < POWERS.
static double power_of_ten(int power) {
    static const double powers[POWERS] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12,
        1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25,
        1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32, 1e33, 1e34, 1e35, 1e36, 1e37, 1e38,
        1e39, 1e40, 1e41, 1e42, 1e43, 1e44, 1e45, 1e46, 1e47, 1e48, 1e49, 1e50, 1e51,
        1e52, 1e53, 1e54, 1e55, 1e56, 1e57, 1e58, 1e59, 1e60, 1e61, 1e62, 1e63,
    };
    return powers[power];
}

// Return the seven digits of a number, as a whole number, and the power of ten of the
// first one.  The number is above 10^-50 and below 10^60.
static uint32_t digits_of(double number, int *power) {
    int first = 0;
    while (first < POWERS - 2 && number >= power_of_ten(first + 1)) {
        first++;
    }
    while (first > -POWERS + DIGITS + 1 && first <= 0 &&
           number * power_of_ten(-first) < 1) {
        first--;
    }
    int shift = first - (DIGITS - 1);
    double scaled =
        shift >= 0 ? number / power_of_ten(shift) : number * power_of_ten(-shift);
    uint32_t digits = (uint32_t)(scaled + 0.5);
    if (digits >= TEN_MILLION) {
        digits /= 10;
        first++;
    } else if (digits < MILLION) { // the first power was rounded up
        digits = MILLION;
    }
    *power = first;
    return digits;
}

// Write seven digits with a point after the first `whole`, without zeros at the end but
// the one after the point.
static size_t place_point(char *out, uint32_t digits, int whole) {
    char all[NUMBER_ROOM];
    size_t used = 0;
    int count = snprintf(all, sizeof all, "%u", digits);
    while (count > 1 && all[count - 1] == '0') {
        count--;
    }
    if (whole <= 0) {
        memcpy(out, "0.00000", (size_t)(2 - whole));
        used = (size_t)(2 - whole);
    }
    for (int i = 0; i < count || i < whole; i++) {
        out[used++] = (char)(i < count ? all[i] : '0');
        if (i + 1 == whole) {
            out[used++] = '.';
        }
    }
    if (out[used - 1] == '.') {
        out[used++] = '0';
    }
    return used;
}

void hp_row_double(struct hp_sink *out, double number) {
    char text[NUMBER_ROOM];
    size_t used = 0;
    int power;
    if (number < 0) {
        text[used++] = '-';
        number = -number;
    }
    if (!(number > 1e-50)) {
        hp_sink_put(out, "0.0", 3);
        return;
    }
    if (number >= 1e60) {
        hp_sink_put(out, "null", 4);
        return;
    }
    uint32_t digits = digits_of(number, &power);
    bool is_plain = power >= LEAST_PLAIN && power < MOST_PLAIN;
    used += place_point(text + used, digits, is_plain ? power + 1 : 1);
    if (!is_plain) {
        used += (size_t)snprintf(text + used, sizeof text - used, "e%d", power);
    }
    hp_sink_put(out, text, used);
}

// --- values ----------------------------------------------------------------------------

// Whether a character may be in a text for all engines.
static bool is_allowed(struct hp_utf8 c) {
    return c.valid && c.code != 0;
}

// Append the text to *escaped, with \xNN instead of bytes that are not allowed.
static void escape(struct hp_buffer *escaped, struct hp_span text) {
    while (text.size > 0) {
        struct hp_utf8 c = hp_utf8_first(text);
        if (is_allowed(c)) {
            hp_buffer_append(escaped, (struct hp_span){text.at, c.size});
        }
        for (uint32_t i = 0; i < c.size && !is_allowed(c); i++) {
            char code[8];
            int size = snprintf(code, sizeof code, "\\x%02x", (unsigned char)text.at[i]);
            hp_buffer_append(escaped, (struct hp_span){code, (size_t)size});
        }
        text = hp_span_from(text, c.size);
    }
}

void hp_row_text(struct hp_json *json, const char *key, struct hp_span text) {
    bool is_plain = hp_plain_size(text) == text.size; // as nearly all texts are
    bool is_good = is_plain || (hp_utf8_size(text) == text.size &&
                                memchr(text.at, '\0', text.size) == NULL);
    if (is_good) {
        hp_json_put_text(json, key, text);
        return;
    }
    struct hp_buffer escaped = {{0}};
    escape(&escaped, text);
    hp_json_put_text(json, key, hp_buffer_span(&escaped));
    hp_vec_done(&escaped.text);
}

void hp_row_id(struct hp_json *json, const char *key, uint64_t id) {
    char text[ID_DIGITS + 2];
    text[0] = text[ID_DIGITS + 1] = '"';
    for (int i = ID_DIGITS; i > 0; i--) {
        text[i] = "0123456789abcdef"[id & 15];
        id >>= 4;
    }
    hp_sink_put(hp_json_value(json, key), text, sizeof text);
}

// Write a whole number, or null.
static void put_whole(struct hp_json *json, const char *key, bool is_known,
                      int64_t number) {
    if (is_known) {
        hp_json_put_integer(json, key, number);
    } else {
        hp_json_put_null(json, key);
    }
}

// Write a number with a point, or null.
static void put_real(struct hp_json *json, const char *key, bool is_known,
                     double number) {
    if (is_known) {
        hp_row_double(hp_json_value(json, key), number);
    } else {
        hp_json_put_null(json, key);
    }
}

// The keys of one column, in the order of the members of an object.
struct keys {
    const char *bytes, *objects, *variance, *hidden, *excess, *certain, *samples,
        *objects_variance;
};

#define KEYS(prefix)                                                          \
    {                                                                         \
        prefix "bytes", prefix "objects", prefix "variance", prefix "hidden", \
            prefix "excess", prefix "certain", prefix "samples",              \
            prefix "objects_variance"                                         \
    }

static const struct keys keys[HP_COLUMNS] = {KEYS("inuse_"), KEYS("alloc_")};

void hp_row_numbers_put(struct hp_json *json, enum hp_column column,
                        const struct hp_row_numbers *numbers) {
    const struct keys *key = &keys[column];
    bool has_bytes = (numbers->known & HP_ROW_HAS_BYTES) != 0;
    bool has_variance = (numbers->known & HP_ROW_HAS_OBJECTS_VARIANCE) != 0;
    put_whole(json, key->bytes, has_bytes, numbers->bytes);
    put_real(json, key->objects, (numbers->known & HP_ROW_HAS_OBJECTS) != 0,
             numbers->objects);
    put_real(json, key->variance, has_bytes, numbers->variance);
    put_whole(json, key->hidden, has_bytes, numbers->hidden);
    put_whole(json, key->excess, has_bytes, numbers->excess);
    put_whole(json, key->certain, has_bytes, numbers->certain);
    put_whole(json, key->samples, has_bytes, numbers->samples);
    put_real(json, key->objects_variance, has_variance, numbers->objects_variance);
}

void hp_row_open(struct hp_json *json) {
    json->has_item = false;
    hp_json_open(json, NULL, '{');
}

void hp_row_close(struct hp_json *json) {
    hp_json_close(json);
    hp_sink_put(json->out, "\n", 1);
}
