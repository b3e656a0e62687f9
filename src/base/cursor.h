// A reader over text that remembers its first failure.
//
// No read fails on its own: after the first mismatch every read is a no-op that returns
// 0, and `expected` says what was wanted.  Read a whole record, then test once.  The text
// must be followed by at least one byte that is neither digit nor space, such as NUL.
#ifndef HP_BASE_CURSOR_H
#define HP_BASE_CURSOR_H

#include "base/span.h"

#include <stdint.h>
#include <string.h>

struct hp_cursor {
    const char *at, *end;
    const char *expected; // what the first failed read wanted; NULL while good
    bool too_big;         // a number did not fit into 64 bits
};

static inline struct hp_cursor hp_cursor_over(const char *at, const char *end) {
    return (struct hp_cursor){.at = at, .end = end};
}

static inline bool hp_cursor_good(const struct hp_cursor *c) {
    return c->expected == NULL;
}

static inline bool hp_cursor_at_end(const struct hp_cursor *c) {
    return c->at == c->end;
}

static inline void hp_cursor_fail(struct hp_cursor *c, const char *expected) {
    if (!c->expected) {
        c->expected = expected;
    }
}

// True, and step over, if the next byte is `byte`.  Never fails.
static inline bool hp_cursor_accept(struct hp_cursor *c, char byte) {
    bool is = !c->expected && c->at < c->end && *c->at == byte;
    c->at += is;
    return is;
}

// As accept, but a mismatch is a failure; `name` is how the message calls the byte.
static inline void hp_cursor_expect(struct hp_cursor *c, char byte, const char *name) {
    if (!hp_cursor_accept(c, byte)) {
        hp_cursor_fail(c, name);
    }
}

static inline void hp_cursor_spaces(struct hp_cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t') && !c->expected) {
        c->at++;
    }
}

static inline bool hp_cursor_accept_word(struct hp_cursor *c, const char *word) {
    struct hp_span rest = {c->at, (size_t)(c->end - c->at)};
    if (c->expected || !hp_span_starts(rest, word)) {
        return false;
    }
    c->at += strlen(word);
    return true;
}

uint64_t hp_cursor_decimal(struct hp_cursor *c);
uint64_t hp_cursor_hex(struct hp_cursor *c);   // with or without 0x
double hp_cursor_seconds(struct hp_cursor *c); // with or without a fraction

// The end of the line, after optional white space and carriage return.  End of text is
// an end of line as well.
void hp_cursor_newline(struct hp_cursor *c);

// What is left of the line, without the newline, which is stepped over.
struct hp_span hp_cursor_line(struct hp_cursor *c);

extern const unsigned char hp_hex_digits[256];

// The value of a hexadecimal digit, or 16.
static inline unsigned hp_hex_digit(char digit) {
    return hp_hex_digits[(unsigned char)digit];
}

#endif
