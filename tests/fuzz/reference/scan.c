// Scans the words of a line.
#include "reference.h"

#include <string.h>

struct reference_scan reference_scan_of(struct hp_span line) {
    return (struct reference_scan){.at = line.at, .end = line.at + line.size};
}

static void fail(struct reference_scan *s, const char *wanted) {
    if (!s->wanted) {
        s->wanted = wanted;
    }
}

bool reference_next_is(const struct reference_scan *s, char byte) {
    return !s->wanted && s->at < s->end && *s->at == byte;
}

void reference_blanks(struct reference_scan *s) {
    while (reference_next_is(s, ' ') || reference_next_is(s, '\t')) {
        s->at++;
    }
}

void reference_need(struct reference_scan *s, const char *text, const char *wanted) {
    size_t size = strlen(text);
    if (!s->wanted && (size_t)(s->end - s->at) >= size &&
        memcmp(s->at, text, size) == 0) {
        s->at += size;
    } else {
        fail(s, wanted);
    }
}

// The value of a digit in either case; 99 for any other byte.
static int digit_of(char byte) {
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *found = byte ? strchr(digits, byte) : NULL;
    int digit = found ? (int)(found - digits) : 99;
    return digit < 16 || digit == 99 ? digit : digit - 6;
}

static uint64_t number(struct reference_scan *s, int base, const char *wanted) {
    uint64_t value = 0;
    const char *start = s->at;
    while (!s->wanted && s->at < s->end && digit_of(*s->at) < base) {
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit_of(*s->at), &value)) {
            s->too_big = true;
            fail(s, "a number below 2^64");
        }
        s->at++;
    }
    if (s->at == start) {
        fail(s, wanted);
    }
    return s->wanted ? 0 : value;
}

uint64_t reference_decimal(struct reference_scan *s) {
    return number(s, 10, "a number");
}

uint64_t reference_hex(struct reference_scan *s) {
    if (s->end - s->at >= 2 && s->at[0] == '0' && s->at[1] == 'x') {
        s->at += 2;
    }
    return number(s, 16, "a hexadecimal number");
}

struct hp_span reference_rest(const struct reference_scan *s) {
    struct hp_span rest = {s->at, (size_t)(s->end - s->at)};
    rest.size -= hp_span_ends(rest, "\r");
    return rest;
}

void reference_need_end(struct reference_scan *s) {
    reference_blanks(s);
    if (!s->wanted && s->at < s->end && *s->at == '\r') {
        s->at++;
    }
    if (s->at < s->end) {
        fail(s, "the end of the line");
    }
}

// Read a number; any that is below zero becomes UINT64_MAX.
static uint64_t counted(struct reference_scan *s) {
    reference_blanks(s);
    if (!reference_next_is(s, '-')) {
        return reference_decimal(s);
    }
    s->at++;
    return reference_decimal(s) == 0 ? 0 : UINT64_MAX;
}

static struct hp_count count(struct reference_scan *s) {
    struct hp_count count;
    count.objects = counted(s);
    reference_need(s, ":", "':'");
    count.bytes = counted(s);
    return count;
}

struct hp_counts reference_counts(struct reference_scan *s) {
    struct hp_counts counts;
    counts.inuse = count(s);
    reference_blanks(s);
    reference_need(s, "[", "'['");
    counts.alloc = count(s);
    reference_need(s, "]", "']'");
    return counts;
}

uint32_t reference_frames(struct reference_scan *s, struct hp_dump *dump) {
    uint32_t depth = 0;
    for (;; depth++) {
        reference_blanks(s);
        if (s->wanted || s->at == s->end || *s->at == '\r') {
            break;
        }
        if (depth == 65536) {
            s->too_deep = true;
            fail(s, "at most 65,536 frames");
        }
        hp_vec_push(&dump->frames, (uint32_t)dump->addresses.count);
        hp_vec_push(&dump->addresses, reference_hex(s));
    }
    reference_need_end(s);
    if (s->wanted) {
        dump->frames.count -= depth;
    }
    return depth;
}
