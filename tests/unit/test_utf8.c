#include "base/sink.h"

#include <criterion/criterion.h>
#include <string.h>

struct memory {
    char text[256];
    size_t size;
};

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
