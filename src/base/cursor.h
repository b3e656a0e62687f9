// A reader over text that remembers its first failure.
//
// No read fails on its own: after the first mismatch every read is a no-op that returns
// 0, and `expected` says what was wanted.  Read a whole record, then test once.  The text
// must be followed by at least one byte that is neither digit nor space, such as NUL.
#ifndef HP_BASE_CURSOR_H
#define HP_BASE_CURSOR_H

#include "base/err.h"
#include "base/span.h"

#include <stdint.h>
#include <string.h>

struct hp_cursor {
    const char *at, *end; // the rest of the text
    // The thing that the first failed read expected, for a message; NULL: none failed.
    const char *expected;
    bool too_big; // whether the failure was a number that does not fit into 64 bits
};

// A cursor at the beginning of a text that ends before `end`.
static inline struct hp_cursor hp_cursor_over(const char *at, const char *end) {
    return (struct hp_cursor){.at = at, .end = end};
}

// Whether no read has failed so far.
static inline bool hp_cursor_good(const struct hp_cursor *c) {
    return c->expected == NULL;
}

static inline bool hp_cursor_at_end(const struct hp_cursor *c) {
    return c->at == c->end;
}

// Record that the text does not continue with `expected`, a constant text, unless an
// earlier failure is recorded.
static inline void hp_cursor_fail(struct hp_cursor *c, const char *expected) {
    if (!c->expected) {
        c->expected = hp_words(expected);
    }
}

// Step over the next byte and return true if it is `byte`.  Never fails.
static inline bool hp_cursor_accept(struct hp_cursor *c, char byte) {
    bool is = !c->expected && c->at < c->end && *c->at == byte;
    c->at += is;
    return is;
}

// Step over `byte`; a mismatch is a failure.  `name` is what the message calls the byte.
static inline void hp_cursor_expect(struct hp_cursor *c, char byte, const char *name) {
    if (!hp_cursor_accept(c, byte)) {
        hp_cursor_fail(c, name);
    }
}

// Step over spaces and tabs.
static inline void hp_cursor_spaces(struct hp_cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t') && !c->expected) {
        c->at++;
    }
}

// Step over `word` and return true if the text continues with it.  Never fails.
static inline bool hp_cursor_accept_word(struct hp_cursor *c, const char *word) {
    struct hp_span rest = {c->at, (size_t)(c->end - c->at)};
    if (c->expected || !hp_span_starts(rest, word)) {
        return false;
    }
    c->at += strlen(word);
    return true;
}

// Read an unsigned decimal number; returns 0 after a failure.
uint64_t hp_cursor_decimal(struct hp_cursor *c);
// Read an unsigned hexadecimal number, with or without "0x"; returns 0 after a failure.
uint64_t hp_cursor_hex(struct hp_cursor *c);
// Read a decimal number of seconds; digits of its fraction after the ninth are ignored.
double hp_cursor_seconds(struct hp_cursor *c);

// Step over spaces, a carriage return and the newline that ends the line; anything else
// before the newline is a failure.  The end of the text also ends a line.
void hp_cursor_newline(struct hp_cursor *c);

// Return the rest of the line, without newline and carriage return, and step to the next
// line.  Unlike the other reads, this also works after a failure.
struct hp_span hp_cursor_line(struct hp_cursor *c);

// Values of hexadecimal digits by character; 16: not a digit.
extern const unsigned char hp_hex_digits[256];

// The value of a hexadecimal digit; 16 if the character is none.
static inline unsigned hp_hex_digit(char digit) {
    return hp_hex_digits[(unsigned char)digit];
}

#endif
