#include "input/reader.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct {
    const char *head, *format;
} heads[] = {
    {"heap_v2/524288\n", "jemalloc"},
    {"%warn none\nheap_v2/524288\n", "jemalloc"},
    {"heap profile: 1: 2 [1: 2] @ heap_v2/524288\n", "classic"},
    {"--- symbol\nbinary=/bin/a\n", "symbols"},
    {"--- heap\nheap_v2/524288\n", "jemalloc"},
    {"\177ELF\2\1\1", "elf"},
    {"\x0a\x04\x08\x01\x10\x02", "pprof"},
};

Test(reader, knows_formats_by_how_texts_begin) {
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        const struct hp_input_format *format =
            hp_input_format_of(hp_span_of(heads[i].head));
        cr_assert_not_null(format, "row %zu", i);
        cr_expect_str_eq(format->name, heads[i].format);
    }
    cr_expect_null(hp_input_format_of(hp_span_of("#!/bin/sh\n")));
    cr_expect_null(hp_input_format_of(hp_span_of("")));
}

Test(reader, refuses_a_text_of_no_format_and_says_which_there_are) {
    struct hp_reader reader = {0};
    struct hp_dump dump = {0};
    struct hp_err err = {0};
    bool is_elf;
    int ret =
        hp_reader_read_bytes(&reader, hp_span_of("#!/bin/sh\n"), &dump, &is_elf, &err);
    cr_expect_eq(ret, HP_E_FORMAT);
    cr_expect(!is_elf);
    for (size_t i = 0; hp_input_formats[i]; i++) {
        const char *is_not = hp_input_formats[i]->is_not;
        cr_expect(!is_not || strstr(err.message, is_not), "%s", err.message);
    }
    hp_reader_done(&reader);
    hp_dump_done(&dump);
}
