// Tests of the reader of "heap profile:" dumps: jemalloc 3, gperftools, tcmalloc and Go.
#include "calc/unbias.h"
#include "input/reader.h"
#include "input/scan.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static struct hp_stack_lines lines;
static struct hp_dump dump;
static struct hp_err err;
static struct hp_unbias unbias;
static char buffer[1 << 16];

// Parse a text.  It is padded, since the parser may read a few bytes beyond the end.
static int parse(const char *text) {
    size_t size = strlen(text);
    cr_assert_lt(size + HP_INPUT_STREAM_PAD, sizeof buffer);
    memcpy(buffer, text, size);
    memset(buffer + size, 0, HP_INPUT_STREAM_PAD);
    struct hp_input_stream window = {
        .at = buffer, .size = size, .capacity = sizeof buffer, .at_end = true};
    struct hp_scan scan;
    hp_dump_clear(&dump);
    hp_scan_init(&scan, &window, &lines, &dump);
    return hp_classic_format.read(&scan, &err);
}

#define MAPS     "\nMAPPED_LIBRARIES:\n1000-2000 r-xp 00001000 fe:00 12    /bin/a\n"
#define TOTALS   "heap profile: 10: 1000 [20: 3000] @ "
#define LINE     "10: 1000 [20: 3000] @ 0x10 0x20\n"
#define PADDED   "heap profile:     10:     1000 [    20:     3000] @ "
#define P_LINE   "    10:     1000 [    20:     3000] @ 0x10 0x20\n"
#define TWICE    "heap profile:     10:     1000 [    10:     1000] @ "
#define P_TWICE  "    10:     1000 [    10:     1000] @ 0x10 0x20\n"
#define REPEATED "heap profile: 10: 1000 [10: 1000]"

Test(classic, reads_stacks_and_counts) {
    cr_assert_eq(parse(
                     "%warn\n%warn no data\nheap profile: 3: 192 [5: 320] @ heapprofile\n"
                     "1: 64 [2: 128] @ 0x10 0x7fc9268a2630 0x20\n"
                     "2: 128 [3: 192] @ 0x10\n" MAPS),
                 HP_OK);
    cr_expect_eq(dump.header.inuse.objects, 3);
    cr_expect_eq(dump.header.alloc.bytes, 320);
    cr_assert_eq(dump.stacks.count, 2);
    cr_expect_eq(dump.stacks.at[0].depth, 3);
    cr_expect_eq(dump.stacks.at[0].counts.inuse.bytes, 64);
    cr_expect_eq(dump.stacks.at[1].counts.alloc.objects, 3);
    cr_expect_eq(dump.addresses.at[dump.frames.at[1]], 0x7fc9268a2630);
    cr_expect_eq(dump.frames.at[3], dump.frames.at[0]); // the same address
    cr_assert_eq(dump.mappings.count, 1);
    cr_expect_null(dump.damage.what);
    cr_expect_eq(dump.malformed.count, 0);
}

// Headers with the producer, the kind of numbers, and the bytes that jeprof prints
// (measured) for one line of 10 objects and 1000 bytes.
static const struct {
    const char *text;
    enum hp_producer producer;
    enum hp_scaling scaling;
    uint64_t period;
    double jeprof;
} headers[] = {
    {TOTALS "heapprofile\n" LINE, HP_PRODUCER_JEMALLOC_3, HP_SCALING_EXACT, 1, 1000},
    {PADDED "heapprofile\n" P_LINE, HP_PRODUCER_GPERFTOOLS, HP_SCALING_EXACT, 1, 1000},
    {TOTALS "heapprofile\n    10: 1000 [20: 3000] @ 0x10\n", HP_PRODUCER_GPERFTOOLS,
     HP_SCALING_EXACT, 1, 1000},
    {PADDED "growth\n" P_LINE, HP_PRODUCER_GPERFTOOLS_GROWTH, HP_SCALING_EXACT, 1, 1000},
    {PADDED "growthz\n" P_LINE, HP_PRODUCER_GPERFTOOLS_GROWTH, HP_SCALING_EXACT, 1, 1000},
    {PADDED "http://host/growth\n" P_LINE, HP_PRODUCER_UNKNOWN, HP_SCALING_EXACT, 1,
     1000},
    {TOTALS "heap_v2/524288\n" LINE, HP_PRODUCER_JEMALLOC_3, HP_SCALING_RAW, 524288,
     5243380},
    {TWICE "heap_v2/524288\n" P_TWICE, HP_PRODUCER_GPERFTOOLS_SAMPLE, HP_SCALING_PER_LINE,
     524288, 5243380},
    {TWICE "heapz_v2/524288\n" P_TWICE, HP_PRODUCER_GPERFTOOLS_SAMPLE,
     HP_SCALING_PER_LINE, 524288, 5243380},
    {TWICE "heap_v2/0\n" P_TWICE, HP_PRODUCER_GPERFTOOLS_SAMPLE, HP_SCALING_PER_LINE, 0,
     1311220},
    {TWICE "heap_v2\n" P_TWICE, HP_PRODUCER_GPERFTOOLS_SAMPLE, HP_SCALING_PER_LINE, 0,
     1311220},
    {PADDED "heap_v2/524288\n" P_LINE, HP_PRODUCER_UNKNOWN, HP_SCALING_PER_LINE, 524288,
     5243380},
    {TOTALS "heap/1048576\n" LINE, HP_PRODUCER_GO, HP_SCALING_PER_LINE, 524288, 5242880},
    {PADDED "heapz_v1/524288\n" P_LINE, HP_PRODUCER_UNKNOWN, HP_SCALING_PER_LINE, 262144,
     2621440},
    {REPEATED "\n10: 1000 [10: 1000] @ 0x10\n", HP_PRODUCER_UNKNOWN, HP_SCALING_RAW, 0,
     1310720},
    {"heap profile: 10: 1000 [20: 3000]\n" LINE, HP_PRODUCER_UNKNOWN, HP_SCALING_EXACT, 1,
     1000},
};

// Bytes in use of the whole dump, by one estimator.
static double inuse_space(enum hp_estimator estimator) {
    struct hp_values values, sum = {{0}};
    struct hp_error errors[HP_COLUMNS];
    hp_unbias_init(&unbias, estimator, &dump);
    for (size_t i = 0; i < dump.stacks.count; i++) {
        cr_assert(hp_unbias_stack(&unbias, &dump, &dump.stacks.at[i], &values, errors));
        hp_values_add(&sum, &values);
    }
    return hp_fixed_double(sum.of[HP_INUSE_SPACE], HP_INUSE_SPACE);
}

Test(classic, distinguishes_producers_kinds_and_periods) {
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s", headers[i].text, MAPS);
        cr_assert_eq(parse(text), HP_OK, "row %zu", i);
        cr_expect_eq(dump.stacks.count, 1, "row %zu", i);
        cr_expect_eq(dump.producer, headers[i].producer, "row %zu: %d", i, dump.producer);
        cr_expect_eq(dump.scaling, headers[i].scaling, "row %zu: %d", i, dump.scaling);
        cr_expect_eq(dump.period, headers[i].period, "row %zu", i);
        double got = inuse_space(HP_ESTIMATOR_JEPROF);
        cr_expect_lt(fabs(got - headers[i].jeprof), 0.5, "row %zu: %f", i, got);
        cr_expect_eq(inuse_space(HP_ESTIMATOR_NONE), 1000, "row %zu", i);
    }
}

// Three objects of one stack: one of 8 bytes and two of 16 bytes.  If they were added up
// before the estimate, they would be three objects of 13.3 bytes.
Test(classic, undoes_the_sampling_of_each_line) {
    cr_assert_eq(parse("heap profile:      3:       40 [     3:       40] @ heap_v2/64\n"
                       "     1:        8 [     1:        8] @ 0x10\n"
                       "     1:       16 [     1:       16] @ 0x10\n"
                       "     1:       16 [     1:       16] @ 0x10\n" MAPS),
                 HP_OK);
    double wanted = 8 / -expm1(-8 / 64.) + 2 * 16 / -expm1(-16 / 64.);
    cr_expect_lt(fabs(inuse_space(HP_ESTIMATOR_BEST) - wanted), 1e-5);
}

// Go's lines contain n objects of one size, which need not be a class of jemalloc's.
Test(classic, knows_the_sizes_in_dumps_of_go) {
    cr_assert_eq(parse("heap profile: 3: 2907 [3: 2907] @ heap/8192\n"
                       "3: 2907 [3: 2907] @ 0x10\n"),
                 HP_OK);
    cr_expect_null(dump.damage.what, "%s", dump.damage.what);
    struct hp_values values;
    struct hp_error errors[HP_COLUMNS];
    hp_unbias_init(&unbias, HP_ESTIMATOR_BEST, &dump);
    cr_assert(hp_unbias_stack(&unbias, &dump, dump.stacks.at, &values, errors));
    double p = -expm1(-969 / 4096.);
    double got = hp_fixed_double(values.of[HP_ALLOC_OBJECTS], HP_ALLOC_OBJECTS);
    cr_expect_lt(fabs(got - 3 / p), 1e-6);
    cr_expect_eq(errors[HP_COLUMN_INUSE].flags, 0);
    cr_expect_eq(errors[HP_COLUMN_INUSE].samples, 3);
    cr_expect_eq(errors[HP_COLUMN_INUSE].observed_bytes, 2907);
}

Test(classic, has_no_error_where_every_object_was_counted) {
    cr_assert_eq(parse(PADDED "growth\n" P_LINE MAPS), HP_OK);
    struct hp_values values;
    struct hp_error errors[HP_COLUMNS];
    hp_unbias_init(&unbias, HP_ESTIMATOR_BEST, &dump);
    cr_assert(hp_unbias_stack(&unbias, &dump, dump.stacks.at, &values, errors));
    cr_expect(values.of[HP_INUSE_SPACE] == (hp_fixed)1000 << HP_SPACE_FRACTION);
    cr_expect(errors[HP_COLUMN_INUSE].variance == 0);
    cr_expect_eq(errors[HP_COLUMN_INUSE].observed_bytes, 1000);
    cr_expect_eq(errors[HP_COLUMN_INUSE].period, 0);
}

// GetHeapSample() of tcmalloc prints the numbers in use twice, also in place of
// allocations.
Test(classic, does_not_take_repeated_counts_for_allocations) {
    cr_assert_eq(parse("heap profile:      1:        8 [     1:        8] @ heap_v2/64\n"
                       "     1:        8 [     1:        8] @ 0x10\n" MAPS),
                 HP_OK);
    hp_unbias_init(&unbias, HP_ESTIMATOR_BEST, &dump);
    cr_expect_not(unbias.has_alloc);
    hp_unbias_init(&unbias, HP_ESTIMATOR_JEPROF, &dump);
    cr_expect(unbias.has_alloc); // jeprof does
}

Test(classic, drops_the_null_frame_that_jemalloc_3_ends_stacks_with) {
    cr_assert_eq(parse(TOTALS "heapprofile\n10: 1000 [20: 3000] @ 0x10 0x20 0x0\n" MAPS),
                 HP_OK);
    cr_expect_eq(dump.stacks.at[0].depth, 2);
}

// malloc(0) returns an object without bytes.
Test(classic, allows_objects_without_bytes) {
    cr_assert_eq(parse("heap profile: 2: 0 [2: 0] @ heap_v2/64\n"
                       "2: 0 [2: 0] @ 0x10\n" MAPS),
                 HP_OK);
    cr_expect_null(dump.damage.what);
    cr_expect_eq(inuse_space(HP_ESTIMATOR_BEST), 0);
    cr_expect_eq(inuse_space(HP_ESTIMATOR_JEPROF), 0);
}

static const struct {
    const char *text, *what;
    uint64_t line;
} damages[] = {
    {TOTALS "heapprofile\n" LINE, NULL, 0},
    {TOTALS "heapprofile\n9: 1000 [20: 3000] @ 0x10\n", "classic-no-map", 3},
    {TOTALS "heapprofile\n10: 1000 [20: 3000] @ 0x10 0x2", "ends-in-line", 2},
    {TOTALS "heapprofile\n0: 1000 [20: 3000] @ 0x10\n" MAPS,
     "classic-bytes-without-objects", 2},
    {TOTALS "heapprofile\n18446744073709551616: 1000 [20: 3000] @ 0x10\n" MAPS,
     "classic-number-too-large", 2},
    {TOTALS "heapprofile\n" LINE MAPS TOTALS "heapprofile\n", "second-dump", 6},
};

Test(classic, reports_damage_and_its_line) {
    hp_show_message_codes();
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        cr_assert_eq(parse(damages[i].text), HP_OK);
        if (!damages[i].what) {
            cr_expect_null(dump.damage.what, "%s", dump.damage.what);
            continue;
        }
        cr_assert_not_null(dump.damage.what, "row %zu", i);
        cr_expect_str_eq(dump.damage.what, damages[i].what);
        cr_expect_eq(dump.damage.line, damages[i].line, "%s: %lu", damages[i].what,
                     (unsigned long)dump.damage.line);
    }
}

static const struct {
    const char *line, *expected;
} malformed[] = {
    {"nonsense", "number-expected"},
    {"--1: 1000 [20: 3000] @ 0x10", "number-expected"},
    {"10: 1000 [20: 3000 @ 0x10", "']'"},
    {"10: 1000 [20: 3000]", "'@'"},
    {"10: 1000 [20: 3000] @ 0x10 0xzz", "hex-number-expected"},
    {"10: 1000 [20: 3000] @ 0x10 name", "hex-number-expected"},
};

Test(classic, names_the_line_that_fits_no_grammar) {
    hp_show_message_codes();
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        char text[1024];
        snprintf(text, sizeof text, TOTALS "heapprofile\n" LINE "%s\n" MAPS,
                 malformed[i].line);
        cr_assert_eq(parse(text), HP_OK);
        cr_expect_eq(dump.malformed.count, 1, "%s", malformed[i].line);
        cr_expect_str_eq(dump.expected, malformed[i].expected);
        cr_expect_eq(dump.malformed.line, 3);
        cr_expect_eq(dump.stacks.count, 1);
    }
}

Test(classic, keeps_what_its_writer_warns_of_as_one_line) {
    cr_assert_eq(
        parse("%warn\n%unknown x\n%warn  no data,\r\n%warning\n%warn because\n" TOTALS
              "heapprofile\n" LINE MAPS),
        HP_OK);
    cr_expect_str_eq(dump.producer_warning, "no data, because");
    cr_expect_eq(dump.producer_warning_line, 3);
    cr_expect_eq(dump.header_line, 6);
}

Test(classic, cuts_what_its_writer_warns_of) {
    char text[4096] = "";
    for (int i = 0; i < 200; i++) {
        strcat(text, i % 2 ? "%warn \n" : "%warn 1234\n");
    }
    strcat(text, TOTALS "heapprofile\n" LINE MAPS);
    cr_assert_eq(parse(text), HP_OK);
    cr_expect_eq(strlen(dump.producer_warning), HP_PRODUCER_WARNING_SIZE - 1);
    cr_assert_eq(parse(TOTALS "heapprofile\n" LINE MAPS), HP_OK);
    cr_expect_str_eq(dump.producer_warning, "");
}

Test(classic, refuses_a_header_without_totals) {
    hp_show_message_codes();
    cr_expect_eq(parse("%warn\nheap profile: x: 192 [5: 320] @ heapprofile\n" MAPS),
                 HP_E_FORMAT);
    cr_expect_eq(err.line, 2);
    cr_expect_str_eq(err.message, "totals-expected: number-expected");
}

Test(classic, leaves_out_counters_that_wrapped_around) {
    cr_assert_eq(parse(TOTALS "heapprofile\n18446744073709551615: 18446744073709551000 "
                              "[2: 128] @ 0x10\n" MAPS),
                 HP_OK);
    cr_expect_eq(dump.wrapped.count, 1);
    cr_expect_eq(dump.stacks.at[0].counts.inuse.objects, 0);
    cr_expect_eq(dump.stacks.at[0].counts.alloc.objects, 2);
}

// Some writers print counters of 32 bits as signed numbers, so that 2^31 or more becomes
// negative.
Test(classic, leaves_out_only_the_counts_that_are_below_zero) {
    cr_assert_eq(parse(
                     "heap profile:   2: -2147483000 [  5: 900] @ heapprofile\n"
                     "  2: 2147484296 [ -5: 900] @ 0x10\n -2: 64 [ 2: 32] @ 0x10\n" MAPS),
                 HP_OK);
    cr_expect_null(dump.damage.what, "%s", dump.damage.what);
    cr_expect_eq(dump.malformed.count, 0);
    cr_expect_eq(dump.wrapped.count, 2);
    cr_expect_eq(dump.wrapped.line, 2);
    cr_assert_eq(dump.stacks.count, 2);
    cr_expect_eq(dump.stacks.at[0].counts.inuse.bytes, 2147484296);
    cr_expect_eq(dump.stacks.at[0].counts.alloc.bytes, 0);
    cr_expect_eq(dump.stacks.at[1].counts.inuse.bytes, 0);
    cr_expect_eq(dump.stacks.at[1].counts.alloc.bytes, 32);
}

// The lines count regions; negative objects are parts of regions that were unmapped.
Test(classic, knows_no_objects_where_regions_are_counted) {
    cr_assert_eq(parse("heap profile:   2: 160 [  5: 900] @ heapprofile\n"
                       " -1: 64 [ 2: 64] @ 0x10\n  0: 32 [ 1: 64] @ 0x20\n"
                       "  3: 64 [ 3: 64] @ 0x30\n" MAPS),
                 HP_OK);
    cr_expect_null(dump.damage.what, "%s", dump.damage.what);
    cr_expect_eq(dump.wrapped.count, 0);
    cr_expect_eq(dump.missing_metrics, 1u << HP_INUSE_OBJECTS);
    cr_assert_eq(dump.stacks.count, 3);
    for (size_t i = 0; i < 3; i++) {
        cr_expect_eq(dump.stacks.at[i].counts.inuse.objects, 0);
    }
    cr_expect_eq(dump.stacks.at[0].counts.inuse.bytes, 64);
    cr_expect_eq(dump.stacks.at[1].counts.inuse.bytes, 32);
    cr_expect_eq(dump.stacks.at[2].counts.alloc.objects, 3);
}

// A "source=" line applies to the rows after it.
Test(classic, reads_the_short_memory_map_of_servers) {
    cr_assert_eq(parse(TOTALS "heapprofile\n" LINE "--- Memory map: ---\n\tsource=/home\n"
                              "  00400000-00fcb000: $source/server\n"
                              "  7f47a4351000-7f47a4352000: /lib/libnss_borg-2.15.so\n"
                              "  7f47a4352000-7f47a4353000: $other/x\n  source=/srv\n"
                              "  8f47a4352000-8f47a4353000: $source\n"
                              "  9f47a4352000-9f47a4353000: $sourcerer/x\n"),
                 HP_OK);
    cr_expect_eq(dump.malformed.count, 0);
    static const char *const paths[] = {"/home/server", "/lib/libnss_borg-2.15.so",
                                        "$other/x", "/srv", "$sourcerer/x"};
    cr_assert_eq(dump.mappings.count, 5);
    for (size_t i = 0; i < 5; i++) {
        cr_expect(hp_span_is(dump.mappings.at[i].path, paths[i]), "row %zu", i);
    }
}

// The file has many windows, and the error is in a line far after the first window.
Test(classic, reads_a_file_in_windows_as_if_it_were_one) {
    enum {
        STACKS = 40000,
        DEEPEST = 97
    };

    int fd = memfd_create("dump", 0);
    FILE *file = fdopen(fd, "w");
    fputs("heap profile: 1: 8 [1: 8] @ heap_v2/1\n", file);
    for (int i = 0; i < STACKS; i++) {
        fprintf(file, "%d: %d [0: 0] @", i + 1, 8 * (i + 1));
        for (int f = 0; f < i % DEEPEST; f++) {
            fprintf(file, " %#x", 0x1000 + (i * 7 + f) % 5000);
        }
        fputs("\n", file);
    }
    fputs("nonsense\n" MAPS, file);
    fflush(file);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct hp_reader reader = {0};
    bool is_elf;
    cr_assert_eq(hp_reader_read(&reader, path, &dump, &is_elf, &err), HP_OK);
    cr_expect_null(dump.damage.what, "%s", dump.damage.what);
    cr_expect_eq(dump.malformed.count, 1);
    cr_expect_eq(dump.malformed.line, STACKS + 2);
    cr_assert_eq(dump.stacks.count, STACKS);
    int wrong = 0;
    for (int i = 0; i < STACKS; i++) {
        const struct hp_dump_stack *stack = &dump.stacks.at[i];
        wrong += stack->depth != (uint32_t)(i % DEEPEST) ||
                 stack->counts.inuse.objects != (uint64_t)i + 1;
        for (uint32_t f = 0; f < stack->depth; f++) {
            uint64_t address = dump.addresses.at[dump.frames.at[stack->first_frame + f]];
            wrong += address != (uint64_t)(0x1000 + (i * 7 + (int)f) % 5000);
        }
    }
    cr_expect_eq(wrong, 0);
    cr_expect_eq(dump.mappings.count, 1);
    hp_reader_done(&reader);
    fclose(file);
}
