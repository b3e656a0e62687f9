// Tests of hp_reader, which recognises formats.
#include "input/reader.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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
    {"main;work (x);malloc 128\n", "folded"},
    {"main 1\r\nmain;work\t 128", "folded"},
};

Test(reader, knows_formats_by_how_texts_begin) {
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        const struct hp_input_format *format =
            hp_input_format_of(hp_span_of(heads[i].head));
        cr_assert_not_null(format, "row %zu", i);
        cr_expect_str_eq(format->name, heads[i].format);
    }
    cr_expect_null(hp_input_format_of(hp_span_of("#!/bin/sh\n")));
    cr_expect_null(hp_input_format_of(hp_span_of("main 1\nwork 2\n"))); // no two frames
    cr_expect_null(hp_input_format_of(hp_span_of("main;work\n")));
    cr_expect_null(hp_input_format_of(hp_span_of("main;work12\n")));
    cr_expect_null(hp_input_format_of(hp_span_of("main;work -12\n x")));
    cr_expect_null(hp_input_format_of(hp_span_of("main;work 1.5\n")));
    cr_expect_null(hp_input_format_of(hp_span_of(" 12\nmain;work 1\n")));
    cr_expect_null(hp_input_format_of(hp_span_of("\1;work 12\n")));
    cr_expect_null(hp_input_format_of(hp_span_of("")));
}

Test(reader, refuses_a_text_of_no_format_and_says_which_there_are) {
    struct hp_reader reader = {0};
    struct hp_dump dump = {0};
    struct hp_err err = {0};
    bool is_elf;
    int ret = hp_reader_read_bytes(&reader, hp_span_of("\1\2\3\n"), &dump, &is_elf, &err);
    cr_expect_eq(ret, HP_E_FORMAT);
    cr_expect(!is_elf);
    for (size_t i = 0; hp_input_formats[i]; i++) {
        const char *title = hp_input_formats[i]->title;
        cr_expect(!title || strstr(err.message, title), "%s", err.message);
    }
    hp_reader_done(&reader);
    hp_dump_done(&dump);
}

// --- R22 -------------------------------------------------------------------------------

// A thread that appends to the file until `is_over`.
struct writer {
    int file;
    atomic_bool is_over;
};

static void *write_on(void *context) {
    struct writer *writer = context;
    while (!atomic_load(&writer->is_over)) {
        if (write(writer->file, "\n", 1) != 1) {
            return writer;
        }
    }
    return NULL;
}

// The file is complete at any time, so that it has no other fault.
Test(reader, R22_a_file_that_is_written_to_while_it_is_read_is_refused, .timeout = 20) {
    hp_show_message_codes();
    static const char dump_text[] =
        "heap_v2/524288\n  t*: 1: 64 [0: 0]\n@ 0x1000\n"
        "  t*: 1: 64 [0: 0]\n\nMAPPED_LIBRARIES:\n";
    struct writer writer = {.file = memfd_create("dump", 0)};
    struct hp_reader reader = {0};
    struct hp_dump dump = {0};
    struct hp_err err = {0};
    pthread_t thread;
    char path[64];
    bool is_elf;
    snprintf(path, sizeof path, "/proc/self/fd/%d", writer.file);
    cr_assert_eq(write(writer.file, dump_text, sizeof dump_text - 1),
                 sizeof dump_text - 1);
    cr_assert_eq(hp_reader_read(&reader, path, &dump, &is_elf, &err), HP_OK, "%s",
                 err.message);
    cr_assert_eq(pthread_create(&thread, NULL, write_on, &writer), 0);
    while (hp_reader_read(&reader, path, &dump, &is_elf, &err) == HP_OK) {
    }
    cr_expect_str_eq(err.message, "dump-being-written");
    atomic_store(&writer.is_over, true);
    pthread_join(thread, NULL);
    hp_reader_done(&reader);
    hp_dump_done(&dump);
    close(writer.file);
}
