#include "input/reader.h"

#include <criterion/criterion.h>

static const struct {
    const char *path;
    uint64_t pid;
} names[] = {
    {"jeprof.1234.0.f.heap", 1234},
    {"/var/tmp/a.b.77.12.i12.heap", 77},
    {"dir.5/jp.4026531836.99.3.m3.heap.gz", 99},
    {"p1.11855.0.f.heap", 11855},
    {"jemalloc-lg0.heap", 0},
    {"a.heap", 0},
    {".heap", 0},
    {"1.0.f.heap", 0},
    {"-", 0},
};

Test(reader, finds_the_process_in_the_file_name) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t size;
        cr_expect_eq(hp_reader_pid(names[i].path, &size), names[i].pid, "%s",
                     names[i].path);
    }
}
