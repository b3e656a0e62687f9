// Tests of the codes of messages, in src/base/err.c.
#include "base/sink.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define SEVERAL                                                                        \
    HP_MESSAGE("several", "%zu file%s of %5.1f%% and '%.*s'\n"), (size_t)3, "s", 4.25, \
        2, "name"

// Whether a message is `expected` as a failure, as a text and in a sink.
#define expect(expected, ...)                                     \
    do {                                                          \
        static struct hp_sink sink;                               \
        struct hp_buffer buffer = {0};                            \
        struct hp_err err = {0};                                  \
        char *text = hp_printed(__VA_ARGS__);                     \
        hp_sink_init(&sink, hp_buffer_write, &buffer);            \
        hp_sink_print(&sink, __VA_ARGS__);                        \
        cr_expect_eq(hp_sink_close(&sink, &err), HP_OK);          \
        hp_fail(&err, HP_E_FORMAT, __VA_ARGS__);                  \
        cr_expect_str_eq(err.message, expected);                  \
        cr_expect_str_eq(text, expected);                         \
        cr_expect(hp_span_is(hp_buffer_span(&buffer), expected)); \
        hp_vec_done(&buffer.text);                                \
        free(text);                                               \
    } while (0)

Test(messages, code_and_values_replace_the_sentence) {
    hp_show_message_codes();
    expect("none", HP_MESSAGE("none", "100%% of this is a sentence"));
    expect("several: 3 s   4.2 na\n", SEVERAL);
    expect("  long: 18446744073709551615\n\n",
           HP_MESSAGE("long", "  a number of %llu bytes\n\n"), ~0ULL);
}

Test(messages, sentences_are_printed_without_codes) {
    struct hp_err err;
    hp_fail(&err, HP_E_FORMAT, HP_MESSAGE("named", "%s: a sentence"),
            hp_words(HP_WORDS("name", "name")));
    cr_expect_eq(strcspn(err.message, "\1\2"), strlen(err.message));
    cr_expect_not_null(strstr(err.message, "name"));
}

Test(messages, text_without_a_code_is_left_alone) {
    hp_show_message_codes();
    expect("a file of 3 bytes", "a file of %d bytes", 3);
    expect("\1name\2", "%s", "\1name\2");
    cr_expect_str_eq(hp_words("a number"), "a number");
    cr_expect_null(hp_words(NULL));
}

Test(messages, words_of_a_sentence_have_codes) {
    hp_show_message_codes();
    expect("not-read: number-cut", HP_MESSAGE("not-read", "it was not read: %s"),
           hp_words(HP_WORDS("number-cut", "a number is cut")));
}

// The code of a text, in a buffer that is overwritten by the next call.
static const char *code_of(const char *text) {
    static char code[HP_CODE_SIZE];
    hp_message_code(code, text);
    return code;
}

Test(messages, a_code_can_be_read_without_values) {
    cr_expect_str_eq(code_of(HP_MESSAGE("several", "%zu files")), "several");
    cr_expect_str_eq(code_of(HP_WORDS("malformed: %", "lines skipped: %")), "malformed");
    cr_expect_str_eq(code_of("a file"), "");
    cr_expect_str_eq(code_of(""), "");
}
