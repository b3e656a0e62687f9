#include "input/counts.h"

// gperftools' counters of 32 bits print as numbers below zero, which are taken for those
// near 2^64 that wider ones print.
static uint64_t read_number(struct hp_cursor *c) {
    hp_cursor_spaces(c);
    bool is_negative = hp_cursor_accept(c, '-');
    uint64_t number = hp_cursor_decimal(c);
    return is_negative && number > 0 ? UINT64_MAX : number;
}

static struct hp_count read_count(struct hp_cursor *c) {
    struct hp_count count;
    count.objects = read_number(c);
    hp_cursor_expect(c, ':', "':'");
    count.bytes = read_number(c);
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
    bool wrapped = hp_count_is_wrapped(count);
    if (wrapped) {
        *count = (struct hp_count){0};
    }
    return wrapped;
}
