// Tests of UTF-8, of escaping, and of sinks.
#include "base/sink.h"
#include "base/utf8.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

struct memory {
    char text[256];
    size_t size;
};

// A hp_write_fn that appends to a struct memory.
static int append(void *data, const void *bytes, size_t size) {
    struct memory *memory = data;
    memcpy(memory->text + memory->size, bytes, size);
    memory->size += size;
    return 0;
}

static const struct {
    const char *in, *out;
} cases[] = {
    {"std::vector<int>", "std::vector<int>"},
    {"Grüße 日本 🙂", "Grüße 日本 🙂"},
    {"a\033[31mb", "a\\x1B[31mb"},
    {"a\tb\nc\x7f", "a\\x09b\\x0Ac\\x7F"},
    {"\xff\xc3", "\\xFF\\xC3"},          // not UTF-8
    {"\xc0\xaf", "\\xC0\\xAF"},          // overlong
    {"\xed\xa0\x80", "\\xED\\xA0\\x80"}, // a surrogate
    {"\xc2\x9b", "\\u{009B}"},           // C1: CSI
    {"\xe2\x80\xae"
     "gpj.exe",
     "\\u{202E}gpj.exe"}, // right-to-left override
};

Test(escape, lets_no_control_character_out) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct memory memory = {0};
        struct hp_sink sink;
        struct hp_err err;
        hp_sink_init(&sink, append, &memory);
        hp_sink_escaped(&sink, hp_span_of(cases[i].in));
        cr_assert_eq(hp_sink_close(&sink, &err), HP_OK);
        cr_expect_str_eq(memory.text, cases[i].out);
    }
}

// The escaped form of one character; valid until the next call.
static const char *escaped(uint32_t code) {
    static char out[HP_ESCAPE_MAX + 1];
    char text[5];
    size_t size = 0, written;
    if (code < 0x80) {
        text[size++] = (char)code;
    } else {
        int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        static const int first[] = {0, 0xc0, 0xe0, 0xf0};
        text[size++] = (char)(first[more] | (int)(code >> 6 * more));
        for (int i = more - 1; i >= 0; i--) {
            text[size++] = (char)(0x80 | (code >> 6 * i & 0x3f));
        }
    }
    cr_assert_eq(hp_escape(text, size, out, HP_ESCAPE_MAX, &written), size);
    out[written] = '\0';
    return out;
}

Test(escape, R11_F13_lets_nothing_out_that_is_not_seen) {
    static const struct {
        uint32_t first, last;
    } hidden[] = {
        // Counted by Python's unicodedata: Cc, Cf, Zl, Zp; then noncharacters and tags.
        {0x0, 0x1f},        {0x7f, 0x9f},         {0xad, 0xad},       {0x600, 0x605},
        {0x61c, 0x61c},     {0x6dd, 0x6dd},       {0x70f, 0x70f},     {0x890, 0x891},
        {0x8e2, 0x8e2},     {0x180e, 0x180e},     {0x200b, 0x200f},   {0x2028, 0x202e},
        {0x2060, 0x206f},   {0xfdd0, 0xfdef},     {0xfeff, 0xfeff},   {0xfff9, 0xfffb},
        {0xfffe, 0xffff},   {0x110bd, 0x110bd},   {0x110cd, 0x110cd}, {0x13430, 0x1343f},
        {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},   {0x1fffe, 0x1ffff}, {0x2fffe, 0x2ffff},
        {0x3fffe, 0x3ffff}, {0x4fffe, 0x4ffff},   {0x5fffe, 0x5ffff}, {0x6fffe, 0x6ffff},
        {0x7fffe, 0x7ffff}, {0x8fffe, 0x8ffff},   {0x9fffe, 0x9ffff}, {0xafffe, 0xaffff},
        {0xbfffe, 0xbffff}, {0xcfffe, 0xcffff},   {0xdfffe, 0xe007f}, {0xefffe, 0xeffff},
        {0xffffe, 0xfffff}, {0x10fffe, 0x10ffff},
    };

    uint32_t count = 0;
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        for (uint32_t code = hidden[i].first; code <= hidden[i].last; code++, count++) {
            char wanted[16];
            snprintf(wanted, sizeof wanted, code < 0x80 ? "\\x%02X" : "\\u{%04X}", code);
            cr_expect_str_eq(escaped(code), wanted);
        }
    }
    uint32_t found = 0;
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
        found += !is_surrogate && escaped(code)[0] == '\\' && code != '\\';
    }
    cr_expect_eq(found, count, "%u, not %u", found, count);
}

// Size of the valid characters at the start of a text, one by one.
static size_t valid_one_by_one(struct hp_span text) {
    size_t size = 0;
    while (size < text.size && hp_utf8_first(hp_span_from(text, size)).valid) {
        size += hp_utf8_first(hp_span_from(text, size)).size;
    }
    return size;
}

// The function looks at several bytes together; invalid bytes are tested before, in and
// after such a group.
Test(utf8, size_is_that_of_its_first_characters_until_one_is_not_valid) {
    static const char *const parts[] = {"\xc3\xbc", "\xf0\x9f\x99\x82", "\xff",
                                        "\xe2\x80"};
    for (size_t size = 0; size <= 50; size++) {
        for (size_t at = 0; at <= size; at++) {
            for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
                char text[64];
                int length =
                    snprintf(text, sizeof text, "%.*s%s%.*s", (int)at,
                             "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdef",
                             parts[i], (int)(size - at),
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCDEFGHIJKLMN");
                struct hp_span span = {text, (size_t)length};
                cr_assert_eq(hp_utf8_size(span), valid_one_by_one(span), "%s", text);
            }
        }
    }
}

// A hp_write_fn that counts its calls and fails.
static int refuse(void *data, const void *bytes, size_t size) {
    (void)bytes;
    (void)size;
    ++*(int *)data;
    return -1;
}

Test(sink, reports_its_first_failure_once_at_the_end) {
    int calls = 0;
    struct hp_sink sink;
    struct hp_err err = {0};
    hp_sink_init(&sink, refuse, &calls);
    for (int i = 0; i < 100000; i++) {
        hp_sink_text(&sink, "0123456789");
    }
    cr_expect_eq(hp_sink_close(&sink, &err), HP_E_OUTPUT);
    cr_expect_eq(calls, 1);
}
