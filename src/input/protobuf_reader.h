// The wire format of protocol buffers, read field by field, remembering the first failure.
//
//     struct hp_proto message = hp_proto_over(bytes);
//     for (struct hp_field field; hp_proto_next(&message, &field);) {
//         switch (field.number) {
//         case 1:
//             id = hp_field_number(&message, &field);
//
// Nothing is allocated: numbers and spans of the text are all there is.
#ifndef HP_INPUT_PROTOBUF_READER_H
#define HP_INPUT_PROTOBUF_READER_H

#include "base/span.h"

#include <stdint.h>

struct hp_proto {
    const char *at, *end;
    const char *wrong; // a constant: what is; NULL while good
};

enum hp_wire_type {
    HP_WIRE_NUMBER = 0,
    HP_WIRE_FIXED64 = 1,
    HP_WIRE_BYTES = 2,
    HP_WIRE_FIXED32 = 5,
};

struct hp_field {
    uint32_t number;
    enum hp_wire_type type;
    uint64_t value;      // of a number
    struct hp_span span; // of bytes
};

struct hp_proto hp_proto_over(struct hp_span bytes);

// The next field; false behind the last and after a failure.
bool hp_proto_next(struct hp_proto *message, struct hp_field *field);

// Keep the first failure; NULL is none.
void hp_proto_fail(struct hp_proto *message, const char *wrong);

// What the field just read holds; 0 or nothing, and a failure of the message, if it is of
// another type.
uint64_t hp_field_number(struct hp_proto *message, const struct hp_field *field);
struct hp_span hp_field_bytes(struct hp_proto *message, const struct hp_field *field);

// A number of any size.
uint64_t hp_proto_long_number(struct hp_proto *message);

// How many bytes the number at the front takes, if it is below 2^21, as all but addresses are, and three bytes are
// there, so that the end is looked at once; 0 otherwise.
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

// The next number of a message of nothing else, as a packed field is.
static inline uint64_t hp_proto_number(struct hp_proto *message) {
    uint64_t number;
    size_t size = hp_proto_number_size(message->at, message->end, &number);
    message->at += size;
    return size > 0 ? number : hp_proto_long_number(message);
}

// The numbers of a repeated field, packed or one: the first call begins with *rest of
// hp_field_numbers(); false behind the last.
struct hp_proto hp_field_numbers(const struct hp_field *field);

static inline bool hp_field_next_number(struct hp_proto *message,
                                        const struct hp_field *field,
                                        struct hp_proto *rest, uint64_t *number) {
    if (message->wrong || (rest->at && rest->at == rest->end)) {
        return false;
    }
    if (rest->at) {
        *number = hp_proto_number(rest);
        message->wrong = rest->wrong;
    } else { // one that is not packed
        *number = hp_field_number(message, field);
        rest->at = rest->end = "";
    }
    return !message->wrong;
}

#endif
