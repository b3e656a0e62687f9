#include "mutate.h"

#include <string.h>

enum {
    DEEPEST = 3,     // levels of nested messages
    LARGEST = 16384, // bytes of a message that is changed
};

struct message_field {
    // Offsets: of the key, of the number or the contained bytes, and after the field.
    size_t start, payload, end;
    uint64_t key, value;
};

struct message {
    const unsigned char *at;
    size_t size;
};

// A buffer that is written to; pieces that do not fit are dropped.
struct message_output {
    char *at;
    size_t size, room;
};

static void put(struct message_output *out, const void *bytes, size_t size) {
    if (size <= out->room - out->size) {
        memcpy(out->at + out->size, bytes, size);
        out->size += size;
    }
}

static void put_varint(struct message_output *out, uint64_t value) {
    unsigned char bytes[10];
    size_t size = 0;
    do {
        bytes[size++] = (unsigned char)(value % 128 | (value >= 128 ? 128 : 0));
        value /= 128;
    } while (value > 0);
    put(out, bytes, size);
}

// Read a number at *at and advance past it; a truncated one has the bits that are there.
static uint64_t varint(struct message in, size_t *at) {
    uint64_t value = 0;
    for (unsigned shift = 0; *at < in.size && shift < 64; shift += 7) {
        unsigned char byte = in.at[(*at)++];
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            break;
        }
    }
    return value;
}

// The field at offset `at`.  Bytes that are no valid field become one up to the end.
static struct message_field field_at(struct message in, size_t at) {
    struct message_field field = {.start = at};
    field.key = varint(in, &at);
    field.payload = at;
    uint64_t size = 0;
    switch (field.key % 8) {
    case 0:
        field.value = varint(in, &at);
        break;
    case 1:
    case 5:
        size = field.key % 8 == 1 ? 8 : 4;
        break;
    case 2:
        size = varint(in, &at);
        field.payload = at;
        break;
    default:
        size = in.size;
    }
    field.end = size < in.size - at ? at + (size_t)size : in.size;
    return field;
}

static size_t count_fields(struct message in) {
    size_t count = 0;
    for (size_t at = 0; at < in.size; at = field_at(in, at).end) {
        count++;
    }
    return count;
}

// A number near `value`, or one that is at a limit.
static uint64_t some_number(struct mutate_random *random, uint64_t value) {
    static const uint64_t numbers[] = {0,
                                       1,
                                       2,
                                       3,
                                       4,
                                       5,
                                       8,
                                       16,
                                       64,
                                       255,
                                       1 << 16,
                                       1u << 31,
                                       (uint64_t)1 << 62,
                                       (uint64_t)1 << 63,
                                       UINT64_MAX};
    uint64_t choice = mutate_below(random, 3);
    return choice == 0 ? value + 1
           : choice == 1
               ? value - 1
               : numbers[mutate_below(random, sizeof numbers / sizeof *numbers)];
}

static void change(struct mutate_random *random, struct message in,
                   struct message_output *out, int depth);

// Write the field with its payload changed: a different number, a nested message with one
// field changed, or changed text.  Rarely the length is one too large.
static void change_payload(struct mutate_random *random, struct message in,
                           struct message_field field, struct message_output *out,
                           int depth) {
    char inner[LARGEST];
    struct message_output within = {inner, 0, sizeof inner};
    if (field.key % 8 != 2) {
        put_varint(out, field.key);
        put_varint(out, some_number(random, field.value));
        return;
    }
    struct message payload = {in.at + field.payload, field.end - field.payload};
    if (depth < DEEPEST && payload.size > 0 && mutate_below(random, 8) > 0) {
        change(random, payload, &within, depth + 1);
    } else {
        put(&within, payload.at, payload.size);
        within.size = mutate_text(random, inner, within.size, sizeof inner,
                                  (struct hp_span){(const char *)in.at, in.size});
    }
    put_varint(out, field.key);
    put_varint(out, within.size + (mutate_below(random, 64) == 0));
    put(out, inner, within.size);
}

static void change_field(struct mutate_random *random, struct message in,
                         struct message_field field, struct message_output *out,
                         int depth) {
    const unsigned char *bytes = in.at + field.start;
    size_t size = field.end - field.start;
    switch (mutate_below(random, 8)) {
    case 0: // removed
        break;
    case 1: // repeated
        put(out, bytes, size);
        put(out, bytes, size);
        break;
    case 2: // given another number or type
        put_varint(out, field.key ^ (uint64_t)1 << mutate_below(random, 7));
        put(out, bytes + (field.payload - field.start), field.end - field.payload);
        break;
    default:
        change_payload(random, in, field, out, depth);
    }
}

// Write the message with one random field changed; sometimes also move one field to the
// end.
static void change(struct mutate_random *random, struct message in,
                   struct message_output *out, int depth) {
    uint64_t count = count_fields(in), chosen = count ? mutate_below(random, count) : 0;
    uint64_t moved =
        count && mutate_below(random, 8) == 0 ? mutate_below(random, count) : UINT64_MAX;
    uint64_t i = 0;
    for (size_t at = 0; at < in.size; i++) {
        struct message_field field = field_at(in, at);
        if (i == chosen) {
            change_field(random, in, field, out, depth);
        } else if (i != moved) {
            put(out, in.at + at, field.end - at);
        }
        at = field.end;
    }
    i = 0;
    for (size_t at = 0; at < in.size && moved != chosen; i++) {
        struct message_field field = field_at(in, at);
        if (i == moved) {
            put(out, in.at + at, field.end - at);
        }
        at = field.end;
    }
}

size_t mutate_message(struct mutate_random *random, char *bytes, size_t size,
                      size_t room) {
    char copy[LARGEST];
    struct message in = {(const unsigned char *)copy, size < LARGEST ? size : LARGEST};
    struct message_output out = {bytes, 0, room};
    memcpy(copy, bytes, in.size);
    change(random, in, &out, 0);
    return out.size;
}
