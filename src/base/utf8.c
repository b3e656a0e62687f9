#include "base/utf8.h"

#include "hprof-agg/hprof-agg.h"

#include <stdio.h>
#include <string.h>

// Characters that are invisible or change how others are shown, in Unicode 15.1: controls
// (Cc), all of category Cf, line and paragraph separators, tags, and noncharacters; in
// ascending order.
static const struct {
    uint32_t first, last;
} unsafe[] = {
    {0x0000, 0x001f},   // C0
    {0x007f, 0x009f},   // DEL, C1
    {0x00ad, 0x00ad},   // soft hyphen
    {0x0600, 0x0605},   // Arabic number signs
    {0x061c, 0x061c},   // Arabic letter mark
    {0x06dd, 0x06dd},   // Arabic end of ayah
    {0x070f, 0x070f},   // Syriac abbreviation mark
    {0x0890, 0x0891},   // Arabic pound and piastre marks
    {0x08e2, 0x08e2},   // Arabic disputed end of ayah
    {0x180e, 0x180e},   // Mongolian vowel separator
    {0x200b, 0x200f},   // zero-width spaces, joiners, marks of direction
    {0x2028, 0x202e},   // separators, embeddings, overrides
    {0x2060, 0x206f},   // word joiner, invisible operators, isolates
    {0xfdd0, 0xfdef},   // noncharacters
    {0xfeff, 0xfeff},   // byte order mark
    {0xfff9, 0xfffb},   // interlinear annotations
    {0x110bd, 0x110bd}, // Kaithi number sign
    {0x110cd, 0x110cd}, // Kaithi number sign above
    {0x13430, 0x1343f}, // controls of Egyptian hieroglyphs
    {0x1bca0, 0x1bca3}, // controls of shorthand
    {0x1d173, 0x1d17a}, // controls of musical notation
    {0xe0000, 0xe007f}, // tags
};

// Whether a code point is in the table `unsafe`, or is a noncharacter.
static bool is_unsafe(uint32_t code) {
    if (code >= 0x20 && code < 0x7f) {
        return false;
    }
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe && code >= unsafe[i].first;
         i++) {
        if (code <= unsafe[i].last) {
            return true;
        }
    }
    // The last two code points of every plane are noncharacters.
    return (code & 0xfffe) == 0xfffe;
}

// The length that the first byte of a sequence announces; 0: no sequence begins with it.
static uint32_t announced(unsigned char first) {
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xc2 && first < 0xe0) {
        return 2;
    }
    if (first >= 0xe0 && first < 0xf0) {
        return 3;
    }
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

// Decode the first character of a text.  A sequence that is overlong, a surrogate, beyond
// U+10FFFF or incomplete is not valid.
struct hp_utf8 hp_utf8_first(struct hp_span text) {
    // The smallest code point that needs a sequence of each length.
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)text.at[0];
    struct hp_utf8 bad = {first, 1, false, false};
    uint32_t size = announced(first);
    if (size == 0 || size > text.size) {
        return bad;
    }
    uint32_t code = size == 1 ? first : first & (0x7fu >> size);
    for (uint32_t i = 1; i < size; i++) {
        unsigned char next = (unsigned char)text.at[i];
        if ((next & 0xc0) != 0x80) {
            return bad;
        }
        code = code << 6 | (next & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    if (code < smallest[size] || code > 0x10ffff || surrogate) {
        return bad;
    }
    return (struct hp_utf8){code, size, true, !is_unsafe(code)};
}

size_t hp_plain_size(struct hp_span text) {
    size_t size = 0;
    while (size < text.size && text.at[size] >= ' ' && text.at[size] <= '~' &&
           text.at[size] != '"' && text.at[size] != '\\') {
        size++;
    }
    return size;
}

// Whether sixteen bytes are all ASCII.
static bool is_ascii(const char bytes[static 16]) {
    uint64_t words[2];
    memcpy(words, bytes, sizeof words);
    return ((words[0] | words[1]) & UINT64_C(0x8080808080808080)) == 0;
}

size_t hp_utf8_size(struct hp_span text) {
    size_t size = 0;
    while (size < text.size) {
        struct hp_span rest = hp_span_from(text, size);
        if (rest.size >= 16 && is_ascii(rest.at)) {
            size += 16;
            continue;
        }
        struct hp_utf8 c = hp_utf8_first(rest);
        if (!c.valid) {
            break;
        }
        size += c.size;
    }
    return size;
}

// Write `c`, the first character of `text`, to `out`: as it is, or as \xNN or \u{...} if
// it is a control character, invisible or not UTF-8.  Returns the number of bytes
// written.
static size_t escape_first(struct hp_span text, struct hp_utf8 c, char *out) {
    char escaped[16];
    if (c.safe) {
        memcpy(out, text.at, c.size);
        return c.size;
    }
    int size = c.valid && c.code > 0x7f
                   ? snprintf(escaped, sizeof escaped, "\\u{%04X}", (unsigned)c.code)
                   : snprintf(escaped, sizeof escaped, "\\x%02X",
                              (unsigned)(unsigned char)text.at[0]);
    memcpy(out, escaped, (size_t)size);
    return (size_t)size;
}

size_t hp_escape(const char *text, size_t size, char *out, size_t room, size_t *written) {
    struct hp_span left = {text, size};
    *written = 0;
    while (left.size > 0 && room - *written >= HP_ESCAPE_MAX) {
        struct hp_utf8 c = hp_utf8_first(left);
        *written += escape_first(left, c, out + *written);
        left = hp_span_from(left, c.size);
    }
    return size - left.size;
}
