// A piece of somebody else's text.
#ifndef HP_BASE_SPAN_H
#define HP_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct hp_span {
    const char *at;
    size_t size;
};

struct hp_span hp_span_of(const char *text);
bool hp_span_is(struct hp_span span, const char *text);

// In place, as most prefixes are constants.
static inline bool hp_span_starts(struct hp_span span, const char *prefix) {
    size_t size = strlen(prefix);
    return span.size >= size && memcmp(span.at, prefix, size) == 0;
}

bool hp_span_ends(struct hp_span span, const char *suffix);
bool hp_span_contains(struct hp_span span, const char *word);
bool hp_span_equal(struct hp_span a, struct hp_span b);
int hp_span_compare(struct hp_span a, struct hp_span b); // as bytes: no locale has a say
struct hp_span hp_span_from(struct hp_span span, size_t start); // without the first bytes
uint64_t hp_span_newlines(struct hp_span span);       // how many there are in it
struct hp_span hp_span_basename(struct hp_span path); // what follows the last '/'

#endif
