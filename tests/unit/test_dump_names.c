// Tests of names of dumps, from which process, number and kind are read.
#include "inputs/dump_name.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct {
    // Series: "" unless the name has jemalloc's strict form.
    const char *path, *series;
    uint64_t pid, number;
    char kind;
    bool has_number;
} names[] = {
    {"jeprof.1234.0.f.heap", "jeprof.1234", 1234, 0, 'f', true},
    {"/var/tmp/a.b.77.12.i12.heap", "a.b.77", 77, 12, 'i', true},
    {"dir.5/jp.4026531836.99.3.m3.heap.gz", "jp.4026531836.99", 99, 3, 'm', true},
    {"p1.11855.0.u0.heap.zst", "p1.11855", 11855, 0, 'u', true},
    // Dates, addresses and versions are no such names.
    {"app.2026.11.21.heap", "", 0, 0, '\0', false},
    {"h.192.168.1.7.heap", "", 0, 0, '\0', false},
    {"app.1.2.3.heap", "", 0, 0, '\0', false},
    {"app.1234.5.i.heap", "", 0, 0, '\0', false},
    {"app.1234.5.f2.heap", "", 0, 0, '\0', false},
    {"app.1234.5.x2.heap", "", 0, 0, '\0', false},
    {"app.01.5.f.heap", "", 0, 0, '\0', false},
    {"app.0.5.f.heap", "", 0, 0, '\0', false},
    {"app.99999999999.5.f.heap", "", 0, 0, '\0', false},
    // Names of gperftools
    {"hp.0001.heap", "", 0, 1, '\0', true},
    {"a/hp_77.0012.heap.gz", "", 77, 12, '\0', true},
    {"hp_v2.12345.heap", "", 0, 12345, '\0', true},
    {"hp.001.heap", "", 0, 0, '\0', false},
    {"jemalloc-lg0.heap", "", 0, 0, '\0', false},
    {"a.heap", "", 0, 0, '\0', false},
    {".heap", "", 0, 0, '\0', false},
    {"1.0.f.heap", "", 0, 0, '\0', false},
    {"t.1.pb.gz", "", 0, 0, '\0', false},
    {"-", "", 0, 0, '\0', false},
    {"", "", 0, 0, '\0', false},
};

Test(dump_names, only_names_of_jemalloc_and_gperftools_are_parsed) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct hp_dump_name name = hp_dump_name_of(names[i].path);
        cr_expect_eq(name.pid, names[i].pid, "pid of %s", names[i].path);
        cr_expect_eq(name.has_number, names[i].has_number, "%s", names[i].path);
        cr_expect_eq(name.number, names[i].number, "number of %s", names[i].path);
        cr_expect_eq(name.kind, names[i].kind, "kind of %s", names[i].path);
        bool is_strict = *names[i].series != '\0';
        cr_expect(!is_strict || hp_span_is(name.series, names[i].series), "series of %s",
                  names[i].path);
        cr_expect(is_strict || name.kind == '\0');
    }
}
