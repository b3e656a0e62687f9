// A field is a key, number << 3 | wire type, and a value.  An integer (type 0) is written
// in groups of 7 bits, low ones first, all but the last with bit 7 set.  Bytes (type 2)
// are written after their size.  Repeated integers are packed: they are type 2, one
// integer after the other.
#include "report/pprof/protobuf.h"

#include "base/varint.h"

#include <string.h>

enum {
    VARINT = 0,
    LENGTH = 2,
};

void hp_protobuf_clear(struct hp_protobuf *message) {
    message->bytes.count = 0;
}

void hp_protobuf_done(struct hp_protobuf *message) {
    hp_vec_done(&message->bytes);
}

// Write an integer; returns the address after it.
static uint8_t *write_varint(uint8_t *at, uint64_t value) {
    // Most numbers of locations are of this size.
    if (value >> 7 != 0 && value >> 14 == 0) {
        at[0] = (uint8_t)(value | 0x80);
        at[1] = (uint8_t)(value >> 7);
        return at + 2;
    }
    return hp_varint_put(at, value);
}

// Put a key and the number after it: the value itself, or the size of the bytes that
// follow.
static void put_field(struct hp_protobuf *message, uint32_t field, uint32_t type,
                      uint64_t number) {
    hp_vec_reserve(&message->bytes, 2 * HP_VARINT_MAX);
    uint8_t *at = message->bytes.at + message->bytes.count;
    at = write_varint(at, (uint64_t)field << 3 | type);
    at = write_varint(at, number);
    message->bytes.count = (size_t)(at - message->bytes.at);
}

// Bytes of an integer: its bits divided by seven, rounded up.
static size_t varint_size(uint64_t value) {
    return (size_t)(64 + 6 - __builtin_clzll(value | 1)) / 7;
}

void hp_protobuf_number(struct hp_protobuf *message, uint32_t field, uint64_t value) {
    if (value != 0) {
        put_field(message, field, VARINT, value);
    }
}

void hp_protobuf_numbers(struct hp_protobuf *message, uint32_t field,
                         const uint64_t *values, size_t count) {
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        size += varint_size(values[i]);
    }
    if (count > 0) {
        put_field(message, field, LENGTH, size);
    }
    hp_vec_reserve(&message->bytes, size);
    uint8_t *at = hp_vec_from(&message->bytes, message->bytes.count);
    for (size_t i = 0; i < count; i++) {
        at = write_varint(at, values[i]);
    }
    message->bytes.count += size;
}

void hp_protobuf_text(struct hp_protobuf *message, uint32_t field, struct hp_span text) {
    put_field(message, field, LENGTH, text.size);
    hp_vec_append(&message->bytes, text.at, text.size);
}

void hp_protobuf_message(struct hp_protobuf *message, uint32_t field,
                         const struct hp_protobuf *part) {
    hp_protobuf_text(message, field,
                     (struct hp_span){(const char *)part->bytes.at, part->bytes.count});
}
