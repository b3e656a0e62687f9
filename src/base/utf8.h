// Characters of untrusted text.
#ifndef HP_BASE_UTF8_H
#define HP_BASE_UTF8_H

#include "base/span.h"

#include <stdint.h>

struct hp_utf8 {
    uint32_t code; // code point; the value of the byte itself if it is not valid
    uint32_t size; // bytes that the character takes, at least 1
    bool valid;    // whether it is well-formed UTF-8
    bool safe;     // whether it can be printed: neither a control character nor invisible
};

// Decode the first character of a text, which must not be empty.
struct hp_utf8 hp_utf8_first(struct hp_span text);

// Number of leading bytes that need no escape in any format: printable ASCII except
// quotes and backslashes.  Nearly all characters of names are such bytes.
size_t hp_plain_size(struct hp_span text);

// Number of leading bytes that are valid UTF-8.
size_t hp_utf8_size(struct hp_span text);

#endif
