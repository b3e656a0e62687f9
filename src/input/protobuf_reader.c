// A field is a key, number << 3 | type, and a value. The types are:
//
//     0  varint: 7 bits a byte, low bits first, the high bit set in all but the last byte
//     1  8 bytes          5  4 bytes
//     2  a varint with the number of bytes, and these bytes
#include "input/protobuf_reader.h"

#include "base/varint.h"

enum {
    LARGEST_NUMBER = (1 << 29) - 1,
};

struct hp_proto hp_proto_over(struct hp_span bytes) {
    return (struct hp_proto){bytes.at, bytes.at + bytes.size, NULL};
}

void hp_proto_fail(struct hp_proto *message, const char *wrong) {
    if (!message->wrong) {
        message->wrong = hp_words(wrong);
    }
}

uint64_t hp_proto_long_number(struct hp_proto *message) {
    const uint8_t *at = (const uint8_t *)message->at;
    size_t left = (size_t)(message->end - message->at);
    uint64_t value = 0;
    size_t size = hp_varint_get(at, left < HP_VARINT_MAX ? left : HP_VARINT_MAX, &value);
    if (size > 0 && (size < HP_VARINT_MAX || at[size - 1] <= 1)) {
        message->at += size;
        return value;
    }
    message->at = message->end;
    hp_proto_fail(message,
                  left < HP_VARINT_MAX
                      ? HP_WORDS("proto-ends-in-number", "it ends within a number")
                      : HP_WORDS("proto-number-too-large", "a number is 2^64 or more"));
    return 0;
}

// Return the next `size` bytes of a message, and step over them. Fails, and returns an
// empty text, if fewer bytes are left.
static struct hp_span read_bytes(struct hp_proto *message, uint64_t size) {
    if (message->wrong || size > (uint64_t)(message->end - message->at)) {
        hp_proto_fail(message, HP_WORDS("proto-field-too-long",
                                        "a field is longer than its message"));
        return (struct hp_span){"", 0};
    }
    struct hp_span bytes = {message->at, (size_t)size};
    message->at += size;
    return bytes;
}

bool hp_proto_next(struct hp_proto *message, struct hp_wire_field *field) {
    if (message->wrong || message->at == message->end) {
        return false;
    }
    uint64_t key = hp_proto_number(message);
    uint64_t number = key >> 3;
    if (number == 0 || number > LARGEST_NUMBER) {
        hp_proto_fail(message,
                      HP_WORDS("proto-field-without-number", "a field without a number"));
    }
    *field = (struct hp_wire_field){
        (uint32_t)number, (enum hp_wire_type)(key & 7), 0, {"", 0}};
    switch (field->type) {
    case HP_WIRE_NUMBER:
        field->value = hp_proto_number(message);
        break;
    case HP_WIRE_BYTES:
        field->span = read_bytes(message, hp_proto_number(message));
        break;
    case HP_WIRE_FIXED64:
    case HP_WIRE_FIXED32:
        read_bytes(message, field->type == HP_WIRE_FIXED64 ? 8 : 4);
        break;
    default:
        hp_proto_fail(message,
                      HP_WORDS("proto-type-unknown", "a field of no known type"));
    }
    return !message->wrong;
}

uint64_t hp_field_number(struct hp_proto *message, const struct hp_wire_field *field) {
    if (field->type != HP_WIRE_NUMBER) {
        hp_proto_fail(message, HP_WORDS("proto-number-expected",
                                        "bytes where a number is expected"));
        return 0;
    }
    return field->value;
}

struct hp_span hp_field_bytes(struct hp_proto *message,
                              const struct hp_wire_field *field) {
    if (field->type != HP_WIRE_BYTES) {
        hp_proto_fail(message, HP_WORDS("proto-bytes-expected",
                                        "a number where bytes are expected"));
        return (struct hp_span){"", 0};
    }
    return field->span;
}

// Return the numbers of a field for hp_field_next_number(). A result with a NULL text
// represents a single number that is not packed.
struct hp_proto hp_field_numbers(const struct hp_wire_field *field) {
    return field->type == HP_WIRE_BYTES ? hp_proto_over(field->span)
                                        : (struct hp_proto){NULL, NULL, NULL};
}
