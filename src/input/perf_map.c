// One entry is one line, in the order in which the code was made:
//
//     7fc275312000 b py::main:/srv/app.py
//     0x00007f0c50ec71c0 0x0000000000000270 void Leak.spin(int)
//
// start, size and name.  Later code may be where earlier code was: the last line counts.
#include "input/perf_map.h"

#include "base/cursor.h"
#include "input/jit_name.h"

#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_LINE = 16 << 10, // bytes; longer lines are no entries
    MOST_FOUND = 4 << 20,    // most times that entries contain addresses
};

// One entry of a map.
struct entry {
    uint64_t start, size;
    struct hp_span name;
};

// Parse a line.  Returns false if it is no entry.
static bool parse(struct hp_span line, struct entry *entry) {
    struct hp_cursor c = hp_cursor_over(line.at, line.at + line.size);
    entry->start = hp_cursor_hex(&c);
    hp_cursor_expect(&c, ' ', HP_WORDS("jit-space-expected", "a space"));
    entry->size = hp_cursor_hex(&c);
    hp_cursor_expect(&c, ' ', HP_WORDS("jit-name-expected", "a space and a name"));
    entry->name = (struct hp_span){c.at, (size_t)(c.end - c.at)};
    return hp_cursor_good(&c) && entry->name.size > 0 && line.size <= LONGEST_LINE &&
           entry->start + entry->size >= entry->start;
}

// Return whether two texts are names of one function, at whatever tier it was compiled.
static bool is_same_function(struct hp_span a, struct hp_span b) {
    struct hp_jit_name first = {.line = 0}, second = {.line = 0};
    hp_jit_name_parse(&first, a);
    hp_jit_name_parse(&second, b);
    bool is_same = hp_span_equal(first.function, second.function) &&
                   hp_span_equal(first.file, second.file) && first.line == second.line;
    hp_vec_done(&first.text);
    hp_vec_done(&second.text);
    return is_same;
}

void hp_jit_address_take(struct hp_jit_address *address, struct hp_span name) {
    struct hp_span known = {address->name, address->size};
    if (address->name && hp_span_equal(known, name)) {
        return;
    }
    address->has_others |= address->name && !is_same_function(known, name);
    free(address->name);
    address->name = hp_alloc(name.size + 1);
    memcpy(address->name, name.at, name.size);
    address->size = name.size;
}

// Give the entry's name to the addresses that it contains.  Returns their number.
static size_t use(struct hp_jit_addresses *addresses, const struct entry *entry) {
    size_t found = 0, i = hp_jit_addresses_from(addresses, entry->start);
    for (; i < addresses->of.count; i++) {
        struct hp_jit_address *address = &addresses->of.at[i];
        if (address->address - entry->start >= entry->size) {
            break;
        }
        found++;
        if (entry->start >= address->low && entry->start + entry->size <= address->high) {
            hp_jit_address_take(address, entry->name);
        }
    }
    return found;
}

// Use all complete lines of the window.  Returns the number of their bytes.
static size_t use_window(struct hp_span window, struct hp_jit_addresses *addresses,
                         struct hp_perf_map_counts *counts, size_t *found) {
    size_t used = 0;
    for (;;) {
        const char *at = window.at + used;
        const char *end = memchr(at, '\n', window.size - used);
        if (!end || *found > MOST_FOUND) {
            return used;
        }
        struct hp_span line = {at, (size_t)(end - at)};
        struct entry entry;
        bool is_entry = parse(line, &entry);
        counts->entries += is_entry;
        counts->malformed += !is_entry && line.size > 0;
        *found += is_entry ? use(addresses, &entry) : 0;
        used += line.size + 1;
    }
}

int hp_perf_map_read(struct hp_input_stream *stream, struct hp_jit_addresses *addresses,
                     struct hp_perf_map_counts *counts, struct hp_err *err) {
    int ret = HP_OK;
    size_t found = 0;
    bool skips = false; // the line at the start of the window is too long
    *counts = (struct hp_perf_map_counts){0};
    while (ret == HP_OK) {
        struct hp_span window = {stream->at, stream->size};
        size_t used = 0;
        const char *end = skips ? memchr(window.at, '\n', window.size) : NULL;
        if (skips) {
            used = end ? (size_t)(end + 1 - window.at) : window.size;
            skips = !end;
        }
        used += use_window(hp_span_from(window, used), addresses, counts, &found);
        if (found > MOST_FOUND) {
            return hp_fail(err, HP_E_LIMIT,
                           HP_MESSAGE("perf-map-overlaps", "too many entries overlap"));
        }
        if (stream->at_end) {
            counts->is_cut = skips || used < window.size;
            return HP_OK;
        }
        if (!skips && window.size - used > LONGEST_LINE) {
            counts->malformed++;
            skips = true;
            used = window.size;
        }
        ret = hp_input_stream_slide(stream, used, err);
    }
    return ret;
}
