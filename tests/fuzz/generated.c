// The slow reader looks at the whole file once for each address.  It finds the last entry
// of a perf map, or the last record of a jitdump, that names the address.
#include "generated.h"

#include "input/jitdump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LARGEST = 16384, // bytes of a file that are used: no record is longer
    ADDRESSES = 8,
    PREFIX = 16,
};

static const uint64_t low = 0x1000, high = 0x9000;
static const uint64_t wanted[ADDRESSES] = {0x1000, 0x1010, 0x1210, 0x2000,
                                           0x3008, 0x4010, 0x8ff0, 0x8fff};

struct generated_counts generated_counts;

// What the slow reader finds for one address.
struct found {
    struct hp_span name, file;
    uint32_t line;
};

// --- perf maps -------------------------------------------------------------------------

// Read a hexadecimal number and move *at behind it.  Returns false if there is none, or
// it has more than 64 bits.
static bool slow_hex(const char **at, const char *end, uint64_t *number) {
    int digits = 0;
    if (end - *at >= 2 && memcmp(*at, "0x", 2) == 0) {
        *at += 2;
    }
    *number = 0;
    for (; *at < end; (*at)++, digits++) {
        static const char known[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = **at ? strchr(known, **at) : NULL;
        if (!digit) {
            break;
        }
        if (*number >> 60) {
            return false;
        }
        *number = *number << 4 | (uint64_t)((digit - known) & 15);
    }
    return digits > 0;
}

// Use one line for one address.
static void slow_entry(struct hp_span line, uint64_t address, struct found *found) {
    const char *at = line.at, *end = line.at + line.size;
    uint64_t start, size;
    if (!slow_hex(&at, end, &start) || at == end || *at++ != ' ' ||
        !slow_hex(&at, end, &size) || at == end || *at++ != ' ' || at == end) {
        return;
    }
    uint64_t past = start + size;
    bool contains = past >= start && address >= start && address < past;
    if (contains && start >= low && past <= high) {
        found->name = (struct hp_span){at, (size_t)(end - at)};
    }
}

static void slow_map(struct hp_span text, uint64_t address, struct found *found) {
    size_t begin = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.at[i] == '\n') {
            slow_entry((struct hp_span){text.at + begin, i - begin}, address, found);
            begin = i + 1;
        }
    }
}

// --- jitdumps --------------------------------------------------------------------------

static uint64_t number_at(struct hp_span record, size_t at, size_t size) {
    uint64_t number = 0;
    memcpy(&number, record.at + at, size);
    return number;
}

// Return the record at *at, and move *at behind it; size 0: there is none.
static struct hp_span next_record(struct hp_span text, size_t *at) {
    struct hp_span rest = {text.at + *at, text.size - *at};
    uint64_t size = rest.size >= PREFIX ? number_at(rest, 4, 4) : 0;
    if (size < PREFIX || size > rest.size) {
        return (struct hp_span){rest.at, 0};
    }
    *at += size;
    return (struct hp_span){rest.at, size};
}

// Return the name in a load; empty if the record is no good load.
static struct hp_span name_of(struct hp_span record) {
    size_t at = PREFIX + 40;
    bool is_load = record.size > at && number_at(record, 0, 4) == 0;
    const char *end = is_load ? memchr(record.at + at, '\0', record.size - at) : NULL;
    return (struct hp_span){record.at + at, end ? (size_t)(end - record.at) - at : 0};
}

static bool is_move(struct hp_span record) {
    return record.size >= PREFIX + 48 && number_at(record, 0, 4) == 1;
}

// Whether a load or a move puts code at an address.
static bool covers(struct hp_span record, uint64_t address) {
    size_t at = PREFIX + (is_move(record) ? 24 : 16);
    uint64_t start = number_at(record, at, 8), size = number_at(record, at + 8, 8);
    return start + size >= start && address >= start && address - start < size &&
           start >= low && start + size <= high;
}

static bool covers_any(struct hp_span record) {
    bool any = false;
    for (int i = 0; i < ADDRESSES; i++) {
        any |= covers(record, wanted[i]);
    }
    return any;
}

// Return the name of code that a move at `place` is about: that of the last load before
// it, else of the last load after the first move of that code.
static struct hp_span moved_name(struct hp_span text, size_t first, size_t place,
                                 uint64_t code) {
    struct hp_span before = {NULL, 0}, after = {NULL, 0}, record;
    bool is_known = false; // a move was seen that is followed
    for (size_t at = first; (record = next_record(text, &at)).size > 0;) {
        struct hp_span name = name_of(record);
        is_known |= is_move(record) && covers_any(record) &&
                    number_at(record, PREFIX + 40, 8) == code;
        if (name.size > 0 && number_at(record, PREFIX + 32, 8) == code) {
            before = at <= place ? name : before;
            after = is_known ? name : after;
        }
    }
    return before.size > 0 ? before : after;
}

// Set file and line of an address by the lines before its code.  Returns false if the
// record is malformed.
static bool slow_lines(struct hp_span record, uint64_t address, struct found *found) {
    uint64_t code = number_at(record, PREFIX, 8),
             count = number_at(record, PREFIX + 8, 8);
    size_t at = PREFIX + 16;
    struct hp_span file = {"", 0};
    found->file = file;
    found->line = 0;
    for (; count > 0; count--) {
        const char *end =
            record.size - at > PREFIX
                ? memchr(record.at + at + PREFIX, '\0', record.size - at - PREFIX)
                : NULL;
        if (!end) {
            return false;
        }
        uint64_t start = number_at(record, at, 8);
        struct hp_span name = {record.at + at + PREFIX,
                               (size_t)(end - record.at) - at - PREFIX};
        file = hp_span_is(name, "\xff") ? file : name;
        if (start >= code && address >= start) {
            found->file = file;
            found->line = (uint32_t)number_at(record, at + 8, 4);
        }
        at = (size_t)(end - record.at) + 1;
    }
    return true;
}

// Returns false if some record of lines is malformed: then only names are compared.
static bool slow_dump(struct hp_span text, uint64_t address, struct found *found) {
    size_t first = text.size >= 40 ? number_at(text, 8, 4) : 0;
    struct hp_span record, lines = {NULL, 0};
    bool are_good = true;
    for (size_t at = first; first >= 40 && first <= text.size &&
                            (record = next_record(text, &at)).size > 0;) {
        struct hp_span name = name_of(record);
        struct found own = {.name = name};
        if (number_at(record, 0, 4) == 2) {
            bool is_good =
                record.size >= PREFIX + 16 && slow_lines(record, address, &own);
            are_good &= is_good;
            lines = is_good ? record : lines;
            continue;
        }
        if (is_move(record) && covers(record, address)) {
            own.name = moved_name(text, first, at, number_at(record, PREFIX + 40, 8));
            *found = own.name.size > 0 ? own : *found;
        }
        if (name.size == 0) {
            continue;
        }
        uint64_t start = number_at(record, PREFIX + 16, 8);
        if (covers(record, address)) {
            bool has_lines =
                lines.size > 0 && start != 0 && number_at(lines, PREFIX, 8) == start;
            (void)(has_lines && slow_lines(lines, address, &own));
            *found = own;
        }
        lines.size = 0;
    }
    return are_good;
}

// --- both ------------------------------------------------------------------------------

static void fail(const char *what, uint64_t address, const struct hp_jit_address *fast,
                 const struct found *slow) {
    fprintf(stderr, "%s of %#llx: '%s' %s:%u and '%.*s' %.*s:%u\n", what,
            (unsigned long long)address, fast->name ? fast->name : "",
            fast->file ? fast->file : "", fast->line, (int)slow->name.size,
            slow->name.at ? slow->name.at : "", (int)slow->file.size,
            slow->file.at ? slow->file.at : "", slow->line);
    abort();
}

static bool is_same(const char *fast, size_t size, struct hp_span slow) {
    return size == slow.size && (size == 0 || memcmp(fast, slow.at, size) == 0);
}

// Compare what both readers have found for an address.
static void compare(const struct hp_jit_address *fast, struct hp_span text,
                    bool is_dump) {
    struct found slow = {.line = 0};
    bool has_files = true;
    if (is_dump) {
        has_files = slow_dump(text, fast->address, &slow);
    } else {
        slow_map(text, fast->address, &slow);
    }
    if (!is_same(fast->name, fast->name ? fast->size : 0, slow.name)) {
        fail("names", fast->address, fast, &slow);
    }
    size_t size = fast->file ? strlen(fast->file) : 0;
    if (has_files && (!is_same(fast->file, size, slow.file) || fast->line != slow.line)) {
        fail("places", fast->address, fast, &slow);
    }
    generated_counts.named += fast->name != NULL;
}

// Read a file as often as is needed.  Returns whether it was read to its end.
static bool read_fast(struct hp_span text, size_t window,
                      struct hp_jit_addresses *addresses, bool is_dump) {
    struct hp_jit_moves moves = {.is_complete = false};
    int ret = HP_OK;
    for (int i = 0; i < 2 && ret == HP_OK; i++) {
        struct hp_input_stream stream = {.window = window};
        struct hp_perf_map_counts counts;
        struct hp_err err = {0};
        ret = hp_input_stream_open_bytes(&stream, text, 0, &err);
        ret = ret != HP_OK ? ret
              : is_dump    ? hp_jitdump_read(&stream, addresses, &moves, &counts, &err)
                           : hp_perf_map_read(&stream, addresses, &counts, &err);
        hp_input_stream_done(&stream);
        if (moves.of.count == 0) {
            break;
        }
    }
    hp_jit_moves_done(&moves);
    return ret == HP_OK;
}

void generated_check(const uint8_t *bytes, size_t size, size_t window) {
    struct hp_jit_addresses addresses = {{0}};
    struct hp_span text = {(const char *)bytes, size < LARGEST ? size : LARGEST};
    bool is_dump = hp_jitdump_is(text);
    if (hp_input_stream_is_packed(text.at, text.size)) {
        return;
    }
    for (int i = 0; i < ADDRESSES; i++) {
        struct hp_jit_address address = {.address = wanted[i], .low = low, .high = high};
        hp_vec_push(&addresses.of, address);
    }
    if (read_fast(text, window, &addresses, is_dump)) {
        for (size_t i = 0; i < addresses.of.count; i++) {
            compare(&addresses.of.at[i], text, is_dump);
        }
    }
    generated_counts.dumps += is_dump;
    generated_counts.maps += !is_dump;
    hp_jit_addresses_done(&addresses);
}
