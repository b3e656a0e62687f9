// Characters of text from outside.
#ifndef HP_BASE_UTF8_H
#define HP_BASE_UTF8_H

#include "base/span.h"

#include <stdint.h>

struct hp_utf8 {
    uint32_t code; // the byte itself if not valid
    uint32_t size; // bytes, at least 1
    bool valid;    // well-formed UTF-8
    bool safe;     // to print: no control, and nothing that is not seen itself
};

// The first character of a text that is not empty.
struct hp_utf8 hp_utf8_first(struct hp_span text);

// How many characters from the first on stand for themselves in any format: printable ASCII
// but for quotes and backslashes, as nearly all are.
size_t hp_plain_size(struct hp_span text);

// So many bytes at its beginning are valid characters.
size_t hp_utf8_size(struct hp_span text);

#endif
