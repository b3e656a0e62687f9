// Tests of the writer and the reader of protocol buffers.
#include "input/protobuf_reader.h"
#include "report/pprof/protobuf.h"

#include <criterion/criterion.h>
#include <string.h>

// Expect the bytes of a message.
static void expect(const struct hp_protobuf *message, const char *bytes, size_t size) {
    cr_expect_eq(message->bytes.count, size);
    cr_expect(size == 0 || memcmp(message->bytes.at, bytes, size) == 0);
}

// These are the examples of the specification of the encoding.
Test(protobuf, writes_integers_in_groups_of_seven_bits) {
    struct hp_protobuf message = {0};
    hp_protobuf_number(&message, 1, 150);
    expect(&message, "\x08\x96\x01", 3);
    hp_protobuf_clear(&message);
    hp_protobuf_number(&message, 16, UINT64_MAX);
    expect(&message, "\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
    hp_protobuf_done(&message);
}

Test(protobuf, leaves_out_zero_but_no_element) {
    struct hp_protobuf message = {0};
    hp_protobuf_number(&message, 1, 0);
    hp_protobuf_numbers(&message, 2, NULL, 0);
    expect(&message, "", 0);
    hp_protobuf_text(&message, 3, (struct hp_span){0});
    expect(&message, "\x1a\0", 2);
    hp_protobuf_done(&message);
}

Test(protobuf, packs_repeated_integers) {
    const uint64_t numbers[] = {3, 270, 86942, 0};
    struct hp_protobuf message = {0};
    hp_protobuf_numbers(&message, 6, numbers, 4);
    expect(&message, "\x32\x07\x03\x8e\x02\x9e\xa7\x05\0", 9);
    hp_protobuf_done(&message);
}

Test(protobuf, puts_messages_into_one_another) {
    struct hp_protobuf inner = {0}, outer = {0};
    hp_protobuf_number(&inner, 1, 150);
    hp_protobuf_message(&outer, 3, &inner);
    expect(&outer, "\x1a\x03\x08\x96\x01", 5);
    hp_protobuf_done(&inner);
    hp_protobuf_done(&outer);
}

// The largest field number is 2^29 - 1.
Test(protobuf, reads_no_field_whose_number_none_can_have) {
    static const struct {
        const char *bytes;
        size_t size;
        bool good;
    } cases[] = {
        {"\x08\x05", 2, true},
        {"\x00\x05", 2, false},
        {"\xf8\xff\xff\xff\x0f\x05", 6, true},
        {"\x80\x80\x80\x80\x10\x05", 6, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hp_proto message =
            hp_proto_over((struct hp_span){cases[i].bytes, cases[i].size});
        struct hp_wire_field field;
        cr_expect_eq(hp_proto_next(&message, &field), cases[i].good, "%zu", i);
        cr_expect_eq(message.wrong == NULL, cases[i].good, "%zu", i);
    }
}

// Read the first `size` bytes of a number; expect the number, or an error if some are
// missing.
static void expect_number(uint64_t number, const struct hp_protobuf *message,
                          size_t size) {
    const char *at = (const char *)message->bytes.at + 1; // after the key
    struct hp_proto rest = hp_proto_over((struct hp_span){at, size});
    size_t whole = message->bytes.count - 1;
    uint64_t found = hp_proto_number(&rest);
    if (size < whole) {
        cr_expect(rest.wrong, "%zu of %zu bytes", size, whole);
        return;
    }
    cr_expect_null(rest.wrong);
    cr_expect_eq(found, number, "%zu bytes", whole);
    cr_expect_eq(rest.at, at + whole);
}

Test(protobuf, reads_back_numbers_of_every_size_and_none_that_is_cut) {
    struct hp_protobuf message = {0};
    for (unsigned bit = 0; bit < 64; bit++) {
        for (uint64_t less = 0; less < 2 && (bit > 0 || less == 0); less++) {
            uint64_t number = ((uint64_t)1 << bit) - less;
            hp_protobuf_clear(&message);
            hp_protobuf_number(&message, 1, number);
            for (size_t size = 0; size < message.bytes.count; size++) {
                expect_number(number, &message, size);
            }
            hp_vec_push(&message.bytes, 1);
            struct hp_proto rest =
                hp_proto_over((struct hp_span){(const char *)message.bytes.at + 1,
                                               message.bytes.count - 1});
            cr_expect_eq(hp_proto_number(&rest), number);
            cr_expect_eq(hp_proto_number(&rest), 1);
        }
    }
    hp_protobuf_done(&message);
}
