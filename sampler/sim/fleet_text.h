// A text in memory that grows as it is written, for files whose size has to be known
// first.
#ifndef HPS_SIM_FLEET_TEXT_H
#define HPS_SIM_FLEET_TEXT_H

#include "sim/resize.h"

#include <stdint.h>
#include <string.h>

// A text.  {0} is empty; free() `at`.
struct hps_text {
    char *at;
    size_t size, room;
};

// Append bytes.
static inline void hps_text_bytes(struct hps_text *text, const char *bytes, size_t size) {
    if (text->room - text->size < size) {
        text->room = 2 * text->room + size + 4096;
        text->at = hps_resize(text->at, text->room);
    }
    memcpy(text->at + text->size, bytes, size);
    text->size += size;
}

// Append a string.
static inline void hps_text_put(struct hps_text *text, const char *string) {
    hps_text_bytes(text, string, strlen(string));
}

// Append a number with at least `width` digits, with leading zeros.
static inline void hps_text_number(struct hps_text *text, uint64_t number, unsigned base,
                                   size_t width) {
    char digits[24];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number > 0 || sizeof digits - at < width);
    hps_text_bytes(text, digits + at, sizeof digits - at);
}

static inline void hps_text_decimal(struct hps_text *text, uint64_t number) {
    hps_text_number(text, number, 10, 1);
}

static inline void hps_text_hex(struct hps_text *text, uint64_t number, size_t width) {
    hps_text_number(text, number, 16, width);
}

#endif
