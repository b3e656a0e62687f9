// WinAnsiEncoding is from PDF 32000-1, annex D; the widths are from Helvetica.afm of
// Adobe's Core 14 fonts.
#include "draw/helvetica.h"

#include "hprof-agg/hprof-agg.h"

#include <stdio.h>

enum {
    FIRST = 0x20,    // the first code with a width
    OTHER = 667,     // width of characters that Helvetica lacks: as wide as its capitals
    WIDE = 1000,     // width of characters that are as wide as high
    HANGUL = 0x1100, // from this code point on most scripts are WIDE
};

// Widths of the codes from 0x20 on, in 1/1000 of the size of the letters; 0: no
// character.
// clang-format off
static const uint16_t widths[] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, // 20
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // 30
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // 40
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // 50
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // 60
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, 0, // 70
    556, 0, 222, 556, 333, 1000, 556, 556, 333, 1000, 667, 333, 1000, 0, 611, 0, // 80
    0, 222, 222, 333, 333, 350, 556, 1000, 333, 1000, 500, 333, 944, 0, 500, 667, // 90
    278, 333, 556, 556, 556, 556, 260, 556, 333, 737, 370, 556, 584, 333, 737, 333, // a0
    400, 584, 333, 333, 333, 556, 537, 278, 333, 333, 365, 556, 834, 834, 834, 611, // b0
    667, 667, 667, 667, 667, 667, 1000, 722, 667, 667, 667, 667, 278, 278, 278, 278, // c0
    722, 722, 778, 778, 778, 778, 778, 584, 778, 722, 722, 722, 722, 667, 667, 611, // d0
    556, 556, 556, 556, 556, 556, 889, 500, 556, 556, 556, 556, 278, 278, 278, 278, // e0
    556, 556, 556, 556, 556, 556, 556, 584, 611, 556, 556, 556, 556, 500, 556, 500, // f0
};
// clang-format on

// Code points for the codes 0x80 to 0x9f; 0: none.
static const uint16_t windows[] = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
    0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
    0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178,
};

// The code of a character in WinAnsiEncoding; 0: it has none.
static unsigned char encode(uint32_t code) {
    if ((code >= FIRST && code < 0x7f) || (code >= 0xa0 && code <= 0xff)) {
        return (unsigned char)code;
    }
    for (unsigned i = 0; i < sizeof windows / sizeof *windows; i++) {
        if (code > 0xff && windows[i] == code) {
            return (unsigned char)(0x80 + i);
        }
    }
    return 0;
}

// Width of a printable ASCII text.
static uint32_t width_of(const char *ascii, size_t size) {
    uint32_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum += widths[(unsigned char)ascii[i] - FIRST];
    }
    return sum;
}

struct hp_letter hp_helvetica_letter(struct hp_span text) {
    struct hp_utf8 c = hp_utf8_first(text);
    struct hp_letter letter = {.size = c.size};
    size_t drawn;
    hp_escape(text.at, c.size, letter.as, sizeof letter.as, &drawn);
    if (c.code == 0xfffe || c.code == 0xffff) {
        drawn =
            (size_t)snprintf(letter.as, sizeof letter.as, "\\u{%04X}", (unsigned)c.code);
        c.safe = false;
    }
    letter.drawn = (uint32_t)drawn;
    if (!c.safe) {
        letter.is_escape = true;
        letter.width = width_of(letter.as, drawn);
        return letter;
    }
    letter.pdf = encode(c.code);
    letter.width = letter.pdf         ? widths[letter.pdf - FIRST]
                   : c.code >= HANGUL ? WIDE
                                      : OTHER;
    return letter;
}
