#include "base/span.h"

#include <stdio.h>
#include <string.h>

struct hp_span hp_span_of(const char *text) {
    return (struct hp_span){text, strlen(text)};
}

bool hp_span_equal(struct hp_span a, struct hp_span b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

int hp_span_compare(struct hp_span a, struct hp_span b) {
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common > 0 ? memcmp(a.at, b.at, common) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

bool hp_span_is(struct hp_span span, const char *text) {
    return hp_span_equal(span, hp_span_of(text));
}

bool hp_span_ends(struct hp_span span, const char *suffix) {
    size_t size = strlen(suffix);
    return span.size >= size && memcmp(span.at + span.size - size, suffix, size) == 0;
}

bool hp_span_contains(struct hp_span span, const char *word) {
    return span.size > 0 && memmem(span.at, span.size, word, strlen(word)) != NULL;
}

struct hp_span hp_span_from(struct hp_span span, size_t start) {
    // Also for an empty span: C does not allow adding even 0 to NULL.
    return start == 0 ? span : (struct hp_span){span.at + start, span.size - start};
}

uint64_t hp_span_newlines(struct hp_span span) {
    uint64_t newlines = 0;
    const char *at = span.at, *end = span.at + span.size;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        at++;
        newlines++;
    }
    return newlines;
}

struct hp_span hp_span_basename(struct hp_span path) {
    size_t start = path.size;
    while (start > 0 && path.at[start - 1] != '/') {
        start--;
    }
    return hp_span_from(path, start);
}

const char *hp_basename(const char *path) {
    return hp_span_basename(hp_span_of(path)).at;
}

void hp_join(char *text, size_t room, const char *const *items, size_t count,
             const char *last) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && used < room; i++) {
        const char *before = i == 0 ? "" : i == count - 1 ? last : ", ";
        used += (size_t)snprintf(text + used, room - used, "%s%s", before, items[i]);
    }
}

// Whether a path is one of Windows: it begins with a drive, or with two backslashes.
static bool is_of_windows(struct hp_span path) {
    return path.size > 2 && path.at[0] != '/' &&
           (memcmp(path.at + 1, ":\\", 2) == 0 || hp_span_starts(path, "\\\\"));
}

struct hp_span hp_span_module_name(struct hp_span path) {
    size_t start = path.size;
    while (is_of_windows(path) && start > 0 && path.at[start - 1] != '\\') {
        start--;
    }
    return hp_span_basename(start == path.size ? path : hp_span_from(path, start));
}
