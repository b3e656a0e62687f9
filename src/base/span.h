// A piece of text that belongs to another object.
//
// A span is a pointer and a size.  It is not terminated by a NUL and owns nothing: it is
// valid as long as the text that it points into.  An empty span may have a NULL pointer.
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

// A span over a C string, without its NUL.
struct hp_span hp_span_of(const char *text);
// Whether a span has exactly the bytes of a C string.
bool hp_span_is(struct hp_span span, const char *text);

// Whether a span begins with `prefix`.  Inline, because most prefixes are constants whose
// length the compiler knows.
static inline bool hp_span_starts(struct hp_span span, const char *prefix) {
    size_t size = strlen(prefix);
    return span.size >= size && memcmp(span.at, prefix, size) == 0;
}

bool hp_span_ends(struct hp_span span, const char *suffix);
bool hp_span_contains(struct hp_span span, const char *word);
bool hp_span_equal(struct hp_span a, struct hp_span b);
// Compare bytes as memcmp() does: below, equal to or above 0.  Does not depend on the
// locale.  A prefix is less than the longer text.
int hp_span_compare(struct hp_span a, struct hp_span b);
// The span without its first `start` bytes.
struct hp_span hp_span_from(struct hp_span span, size_t start);
uint64_t hp_span_newlines(struct hp_span span); // number of newlines in the span
// The part of a path after its last '/'.
struct hp_span hp_span_basename(struct hp_span path);
const char *hp_basename(const char *path);
// Join texts to a list, "a, b and c" if `last` is " and ", in an array of `room` bytes;
// the list is truncated to fit.
void hp_join(char *text, size_t room, const char *const *items, size_t count,
             const char *last);
// The same for the path of a module, which may be one of Windows: "C:\\app\\app.exe".
struct hp_span hp_span_module_name(struct hp_span path);

#endif
