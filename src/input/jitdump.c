// A header of 40 bytes or more: "JiTD" as a number of 32 bits, version, size of the
// header, ..., flags.  Then records, each with a prefix of 16 bytes: kind, size, time.
// Times are nanoseconds of CLOCK_MONOTONIC, or ticks of the processor if bit 0 of the
// flags is set.
//
//     0  load     pid, tid, address (2x), size, number of the code, name, the code
//     1  move     pid, tid, address, old address, new address, size, number
//     2  lines    address of the code, count, count times: address, line, 0, file
//
// Numbers have the byte order of the machine.  The record of lines is before the code's.
#include "input/jitdump.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEADER = 40,
    PREFIX = 16,
    FLAGS = 32,              // offset in the header
    LOAD_NAME = PREFIX + 40, // offset of the name in a load
    MOVE_SIZE = PREFIX + 48,
    LINES_ENTRY = PREFIX + 16, // offset of the first entry of lines
    MOST_BYTES = 16 << 10,     // of a load that are looked at: its name is at the start
    MOST_LINES = 16 << 20,     // bytes of a record of lines; longer ones are ignored
    MOST_MOVES = 256,          // codes whose moves are followed
    MOST_FOUND = 16 << 20,     // most times that records contain addresses
};

// State of a reader.
struct reader {
    struct hp_jit_addresses *addresses;
    struct hp_jit_moves *moves;
    size_t found;      // times that a record contained an address
    uint64_t lines_of; // code that the last record of lines is about; 0: none
    uint64_t until;    // records with a later time are ignored
};

static uint32_t get_32(const char *at) {
    uint32_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

static uint64_t get_64(const char *at) {
    uint64_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

bool hp_jitdump_is(struct hp_span head) {
    return head.size >= HEADER && get_32(head.at) == 0x4a695444;
}

// Copy a text; returns NULL if it has no end within `size` bytes.
static char *copy(const char *at, size_t size, size_t *length) {
    const char *end = memchr(at, '\0', size);
    char *text = end ? hp_alloc((size_t)(end - at) + 1) : NULL;
    *length = end ? (size_t)(end - at) : 0;
    if (text) {
        memcpy(text, at, *length);
    }
    return text;
}

static struct hp_jit_moved *find_moved(struct hp_jit_moves *moves, uint64_t code) {
    struct hp_jit_moved *moved;
    hp_vec_each (moved, &moves->of) {
        if (moved->code == code) {
            return moved;
        }
    }
    return NULL;
}

// Give a name to the addresses in [start, start + size).  NULL: to none, but count them.
// Returns their number.
static size_t name_range(struct reader *r, uint64_t start, uint64_t size,
                         const struct hp_span *name, bool has_lines) {
    size_t count = 0, i = hp_jit_addresses_from(r->addresses, start);
    for (; i < r->addresses->of.count && start + size >= start; i++) {
        struct hp_jit_address *address = &r->addresses->of.at[i];
        if (address->address - start >= size) {
            break;
        }
        if (start < address->low || start + size > address->high) {
            continue;
        }
        count++;
        if (name) {
            hp_jit_address_take(address, *name);
            free(address->file);
            address->file = has_lines ? address->next_file : NULL;
            address->line = has_lines ? address->next_line : 0;
            address->next_file = has_lines ? NULL : address->next_file;
        }
    }
    r->found += count;
    return count;
}

static bool take_load(struct reader *r, struct hp_span record) {
    if (record.size <= LOAD_NAME) {
        return false;
    }
    const char *at = record.at + PREFIX;
    uint64_t start = get_64(at + 16), size = get_64(at + 24), code = get_64(at + 32);
    struct hp_span name = {record.at + LOAD_NAME, 0};
    const char *end = memchr(name.at, '\0', record.size - LOAD_NAME);
    if (!end || end == name.at) {
        return false;
    }
    name.size = (size_t)(end - name.at);
    (void)name_range(r, start, size, &name, r->lines_of == start && start != 0);
    r->lines_of = 0;
    struct hp_jit_moved *moved = find_moved(r->moves, code);
    if (moved) {
        free(moved->name);
        moved->name = copy(name.at, name.size + 1, &moved->size);
    }
    return true;
}

static bool take_move(struct reader *r, struct hp_span record) {
    if (record.size < MOVE_SIZE) {
        return false;
    }
    const char *at = record.at + PREFIX;
    uint64_t start = get_64(at + 24), size = get_64(at + 32), code = get_64(at + 40);
    struct hp_jit_moved *moved = find_moved(r->moves, code);
    struct hp_span name = {moved ? moved->name : NULL, moved ? moved->size : 0};
    size_t count = name_range(r, start, size, name.at ? &name : NULL, false);
    bool is_new = count > 0 && !moved && !r->moves->is_complete;
    if (is_new && r->moves->of.count < MOST_MOVES) {
        hp_vec_push(&r->moves->of, ((struct hp_jit_moved){.code = code}));
    }
    return true;
}

// Note file and line of the addresses from `start` on, until the next entry.
static void note_line(struct reader *r, uint64_t code, uint64_t start,
                      struct hp_span file, uint32_t line) {
    size_t i = hp_jit_addresses_from(r->addresses, start);
    for (; i < r->addresses->of.count; i++) {
        struct hp_jit_address *address = &r->addresses->of.at[i];
        if (start < code || address->address >= address->high) {
            break;
        }
        r->found++;
        free(address->next_file);
        address->next_file = hp_alloc(file.size + 1);
        memcpy(address->next_file, file.at, file.size);
        address->next_line = line;
    }
}

static bool take_lines(struct reader *r, struct hp_span record) {
    static const char same[] = "\xff"; // the file of the entry before
    if (record.size < LINES_ENTRY) {
        return false;
    }
    uint64_t code = get_64(record.at + PREFIX), count = get_64(record.at + PREFIX + 8);
    struct hp_span rest = hp_span_from(record, LINES_ENTRY), file = {"", 0};
    note_line(r, code, code, file, 0); // forget the lines of other code
    for (; count > 0 && r->found <= MOST_FOUND; count--) {
        const char *end = rest.size > PREFIX
                              ? memchr(rest.at + PREFIX, '\0', rest.size - PREFIX)
                              : NULL;
        if (!end) {
            return false;
        }
        struct hp_span name = {rest.at + PREFIX, (size_t)(end - rest.at) - PREFIX};
        file = hp_span_is(name, same) ? file : name;
        note_line(r, code, get_64(rest.at), file, get_32(rest.at + 8));
        rest = hp_span_from(rest, (size_t)(end - rest.at) + 1);
    }
    r->lines_of = code;
    return true;
}

// Use one record, of which the first bytes are there.  Returns false if it is malformed.
static bool take(struct reader *r, struct hp_span record) {
    if (get_64(record.at + 8) > r->until) {
        return true;
    }
    switch (get_32(record.at)) {
    case 0:
        return take_load(r, record);
    case 1:
        return take_move(r, record);
    case 2:
        return take_lines(r, record);
    default:
        return true; // others say nothing about names
    }
}

// Read on until the window has `size` bytes, or the stream ends.
static int need(struct hp_input_stream *stream, uint64_t size, struct hp_err *err) {
    int ret = HP_OK;
    while (ret == HP_OK && stream->size < size && !stream->at_end) {
        ret = hp_input_stream_slide(stream, 0, err);
    }
    return ret;
}

// Skip bytes of the stream.  *is_cut: it ends before.
static int skip(struct hp_input_stream *stream, uint64_t size, bool *is_cut,
                struct hp_err *err) {
    int ret = HP_OK;
    while (ret == HP_OK && size > stream->size && !stream->at_end) {
        size -= stream->size;
        ret = hp_input_stream_slide(stream, stream->size, err);
    }
    *is_cut |= size > stream->size;
    size_t rest = size < stream->size ? (size_t)size : stream->size;
    return ret == HP_OK ? hp_input_stream_slide(stream, rest, err) : ret;
}

// Read one record.  Sets *is_end at the end, and where records cannot be separated.
static int read_record(struct hp_input_stream *stream, struct reader *r,
                       struct hp_perf_map_counts *counts, bool *is_end,
                       struct hp_err *err) {
    int ret = need(stream, PREFIX, err);
    if (ret != HP_OK || stream->size < PREFIX) {
        *is_end = true;
        counts->is_cut |= stream->size > 0;
        return ret;
    }
    uint32_t kind = get_32(stream->at), size = get_32(stream->at + 4);
    uint32_t most = kind == 2 ? MOST_LINES : MOST_BYTES;
    if (size < PREFIX) {
        *is_end = true;
        counts->malformed++;
        return HP_OK;
    }
    uint32_t wanted = size < most ? size : most;
    ret = need(stream, wanted, err);
    if (ret == HP_OK && stream->size >= wanted && (kind != 2 || size <= most)) {
        bool is_good = take(r, (struct hp_span){stream->at, wanted});
        counts->entries += is_good;
        counts->malformed += !is_good;
    }
    return ret == HP_OK ? skip(stream, size, &counts->is_cut, err) : ret;
}

int hp_jitdump_read(struct hp_input_stream *stream, struct hp_jit_addresses *addresses,
                    struct hp_jit_moves *moves, struct hp_perf_map_counts *counts,
                    struct hp_err *err) {
    struct reader r = {.addresses = addresses, .moves = moves};
    bool is_end = false;
    *counts = (struct hp_perf_map_counts){0};
    int ret = need(stream, HEADER, err);
    bool has_header = ret == HP_OK && stream->size >= HEADER;
    uint32_t header = has_header ? get_32(stream->at + 8) : 0;
    bool has_ticks = has_header && (get_64(stream->at + FLAGS) & 1) != 0;
    r.until = addresses->until > 0 && !has_ticks ? addresses->until : UINT64_MAX;
    if (ret == HP_OK && header < HEADER) {
        counts->malformed++;
        return HP_OK;
    }
    ret = ret == HP_OK ? skip(stream, header, &counts->is_cut, err) : ret;
    while (ret == HP_OK && !is_end) {
        ret = read_record(stream, &r, counts, &is_end, err);
        if (r.found > MOST_FOUND) {
            return hp_fail(err, HP_E_LIMIT,
                           HP_MESSAGE("jitdump-overlaps", "too many records overlap"));
        }
    }
    moves->is_complete = true;
    return ret;
}

void hp_jit_moves_done(struct hp_jit_moves *moves) {
    struct hp_jit_moved *moved;
    hp_vec_each (moved, &moves->of) {
        free(moved->name);
    }
    hp_vec_done(&moves->of);
}
