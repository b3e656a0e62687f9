//     @ 0x55d0 0x55e8
//       t*: 1: 64 [0: 0]
//       t3: 1: 64 [0: 0]
//       f: 1500000 60 64 3 0 3
//     frag_util: 0 3 64 4096 64 1 10 500 2
//
// A sampled object that lives: its age in ns, bytes asked for, bytes given, their size class,
// arena, thread.  The counts are of a moment before, so that the two may differ.
//
// How the slabs of one arena and size class are filled: arena, class, bytes of a place, bytes
// of a slab, places of a slab, shards, slabs, places taken, slabs not full.
#include "input/clickhouse.h"

// Numbers up to the end of the line, each behind a space.
static void read_numbers(struct hp_cursor *c, uint64_t *numbers, int count) {
    for (int i = 0; i < count; i++) {
        hp_cursor_expect(c, ' ', "' '");
        numbers[i] = hp_cursor_decimal(c);
    }
    hp_cursor_newline(c);
}

bool hp_clickhouse_object(struct hp_scan *scan) {
    enum {
        GIVEN = 2,
        THREAD = 5,
        NUMBERS
    };

    uint64_t numbers[NUMBERS] = {0};
    struct hp_cursor *c = &scan->c;
    const char *start = c->at;
    hp_cursor_accept_word(c, "  f:");
    read_numbers(c, numbers, NUMBERS);
    if (hp_cursor_good(c) && (numbers[GIVEN] == 0 || numbers[GIVEN] >> 62)) {
        hp_cursor_fail(c, "an object of a possible size");
    }
    if (!hp_cursor_good(c)) {
        hp_scan_skip(scan, start, c->expected);
        return false;
    }
    scan->line++;
    struct hp_listed object = {numbers[GIVEN], numbers[THREAD]};
    hp_vec_push(&scan->dump->listed, object);
    return true;
}

void hp_clickhouse_end_list(struct hp_dump *dump, size_t first, bool is_sound) {
    if (!is_sound) {
        dump->listed.count = first;
    } else {
        struct hp_stack_extra *extra = hp_dump_next_extra(dump);
        extra->first_listed = first;
        extra->listed = (uint32_t)(dump->listed.count - first);
    }
}

void hp_clickhouse_slabs(struct hp_scan *scan) {
    enum {
        PLACE = 2,
        SLAB = 3,
        SLABS = 6,
        PLACES_TAKEN = 7,
        NUMBERS = 9
    };

    uint64_t numbers[NUMBERS] = {0}, bytes, used;
    struct hp_slabs sum = scan->dump->slabs;
    struct hp_cursor *c = &scan->c;
    const char *start = c->at;
    hp_cursor_accept_word(c, "frag_util:");
    read_numbers(c, numbers, NUMBERS);
    if (__builtin_mul_overflow(numbers[SLABS], numbers[SLAB], &bytes) ||
        __builtin_mul_overflow(numbers[PLACES_TAKEN], numbers[PLACE], &used) ||
        __builtin_add_overflow(sum.bytes, bytes, &sum.bytes) ||
        __builtin_add_overflow(sum.used, used, &sum.used) || used > bytes) {
        hp_cursor_fail(c, "slabs that hold the objects in them");
    }
    if (!hp_cursor_good(c)) {
        hp_scan_skip(scan, start, c->expected);
        return;
    }
    scan->line++;
    scan->dump->slabs = sum;
}
