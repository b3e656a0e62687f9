// The wire format of protocol buffers, read field by field, remembering the first
// failure.
//
//     struct hp_proto message = hp_proto_over(bytes);
//     for (struct hp_wire_field field; hp_proto_next(&message, &field);) {
//         switch (field.number) {
//         case 1:
//             id = hp_field_number(&message, &field);
//
// Nothing is allocated: fields are numbers, and spans of the text.
#ifndef HP_INPUT_PROTOBUF_READER_H
#define HP_INPUT_PROTOBUF_READER_H

#include "base/err.h"
#include "base/span.h"

#include <stdint.h>

// A message, or a sequence of packed numbers, that is being read.
struct hp_proto {
    const char *at, *end; // the rest of the message
    const char *wrong;    // the first failure, a constant text; NULL while good
};

enum hp_wire_type {
    HP_WIRE_NUMBER = 0,
    HP_WIRE_FIXED64 = 1,
    HP_WIRE_BYTES = 2,
    HP_WIRE_FIXED32 = 5,
};

// A field of a message. Fields of fixed size are skipped: they have neither value nor
// span.
struct hp_wire_field {
    uint32_t number; // number of the field in the .proto file
    enum hp_wire_type type;
    uint64_t value;      // if the type is HP_WIRE_NUMBER
    struct hp_span span; // if the type is HP_WIRE_BYTES
};

// Begin to read a message; `bytes` must outlive it.
struct hp_proto hp_proto_over(struct hp_span bytes);

// Read the next field. Returns false after the last field and after a failure.
bool hp_proto_next(struct hp_proto *message, struct hp_wire_field *field);

// Record the failure `wrong`, a constant text, unless one was recorded before. NULL is no
// failure.
void hp_proto_fail(struct hp_proto *message, const char *wrong);

// The value of a field. If the field is of another type, the result is 0 or empty, and
// the message fails.
uint64_t hp_field_number(struct hp_proto *message, const struct hp_wire_field *field);
struct hp_span hp_field_bytes(struct hp_proto *message,
                              const struct hp_wire_field *field);

// Read a varint of any size. Returns 0 and fails if it is truncated or needs more than 64
// bits.
uint64_t hp_proto_long_number(struct hp_proto *message);

// Returns the size in bytes of the varint at `text` and stores its value. Returns 0, and
// reads nothing, if the value is 2^21 or more (only addresses are that large), or if
// fewer than three bytes are left, so that the end is checked only once.
static inline size_t hp_proto_number_size(const char *text, const char *end,
                                          uint64_t *number) {
    const unsigned char *at = (const unsigned char *)text;
    if (end - text < 3) {
        return 0;
    }
    if (at[0] < 0x80) {
        *number = at[0];
        return 1;
    }
    if (at[1] < 0x80) {
        *number = (at[0] & 0x7fu) | (uint64_t)at[1] << 7;
        return 2;
    }
    if (at[2] < 0x80) {
        *number = (at[0] & 0x7fu) | (at[1] & 0x7fu) << 7 | (uint64_t)at[2] << 14;
        return 3;
    }
    return 0;
}

// Read the next varint of a text that is made of varints only, such as a packed field.
static inline uint64_t hp_proto_number(struct hp_proto *message) {
    uint64_t number;
    size_t size = hp_proto_number_size(message->at, message->end, &number);
    message->at += size;
    return size > 0 ? number : hp_proto_long_number(message);
}

// Iterate over the numbers of a repeated field, which may be packed or a single number:
// begin with *rest set to the result of hp_field_numbers(). hp_field_next_number()
// returns false after the last number and after a failure.
struct hp_proto hp_field_numbers(const struct hp_wire_field *field);

static inline bool hp_field_next_number(struct hp_proto *message,
                                        const struct hp_wire_field *field,
                                        struct hp_proto *rest, uint64_t *number) {
    if (message->wrong || (rest->at && rest->at == rest->end)) {
        return false;
    }
    if (rest->at) {
        *number = hp_proto_number(rest);
        message->wrong = rest->wrong;
    } else { // a single number, not packed
        *number = hp_field_number(message, field);
        rest->at = rest->end = "";
    }
    return !message->wrong;
}

#endif
