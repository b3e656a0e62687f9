#include "input/counts.h"

// Counters that a prof.reset race drove below zero print as numbers near 2^64.
static const uint64_t wrapped_from = (uint64_t)1 << 62;

static struct hp_count read_count(struct hp_cursor *c) {
    struct hp_count count;
    hp_cursor_spaces(c);
    count.objects = hp_cursor_decimal(c);
    hp_cursor_expect(c, ':', "':'");
    hp_cursor_spaces(c);
    count.bytes = hp_cursor_decimal(c);
    return count;
}

struct hp_counts hp_counts_read(struct hp_cursor *c) {
    struct hp_counts counts;
    counts.inuse = read_count(c);
    hp_cursor_spaces(c);
    hp_cursor_expect(c, '[', "'['");
    counts.alloc = read_count(c);
    hp_cursor_expect(c, ']', "']'");
    return counts;
}

bool hp_count_drop_wrapped(struct hp_count *count) {
    bool wrapped = count->objects >= wrapped_from || count->bytes >= wrapped_from;
    if (wrapped) {
        *count = (struct hp_count){0};
    }
    return wrapped;
}
