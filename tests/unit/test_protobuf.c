#include "report/pprof/protobuf.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect(const struct hp_protobuf *message, const char *bytes, size_t size) {
    cr_expect_eq(message->bytes.count, size);
    cr_expect(size == 0 || memcmp(message->bytes.at, bytes, size) == 0);
}

// The examples of the encoding's specification.
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
