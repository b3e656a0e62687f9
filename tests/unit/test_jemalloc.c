// Tests of the reader of jemalloc's heap_v2 dumps.
#include "input/reader.h"
#include "input/scan.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static struct hp_stack_lines lines;
static struct hp_dump dump;
static struct hp_err err;
static char buffer[1 << 16];

// Parse a text.  It is padded, since the parser may read a few bytes beyond the end.
static int parse(const char *text) {
    size_t size = strlen(text);
    cr_assert_lt(size + HP_INPUT_STREAM_PAD, sizeof buffer);
    memcpy(buffer, text, size);
    memset(buffer + size, 0, HP_INPUT_STREAM_PAD);
    struct hp_input_stream window = {
        .at = buffer, .size = size, .capacity = sizeof buffer, .at_end = true};
    hp_dump_clear(&dump);
    struct hp_scan scan;
    hp_scan_init(&scan, &window, &lines, &dump);
    struct hp_digester content = {0}, samples = {0};
    hp_digester_start(&content);
    hp_digester_start(&samples);
    scan.content = &content;
    scan.samples = &samples;
    int ret = hp_jemalloc_format.read(&scan, &err);
    hp_digester_done(&content);
    hp_digester_done(&samples);
    return ret;
}

#define HEAD "heap_v2/524288\n  t*: 3: 192 [5: 320]\n  t0: 3: 192 [5: 320] main\n"
#define MAPS \
    "\nMAPPED_LIBRARIES:\n1000-2000 r-xp 00001000 fe:00 12    /bin/a b (deleted)\n"

Test(jemalloc, reads_stacks_and_counts) {
    const char *text = HEAD
        "@ 0x10 0x7fc9268a2630 0x20\n  t*: 1: 64 [2: 128]\n"
        "  t0: 1: 64 [2: 128]\n@ 0x10\n  t*: 2: 128 [3: 192]\n"
        "  t0: 1: 64 [1: 64]\n  t7: 1: 64 [2: 128]\n" MAPS;
    cr_assert_eq(parse(text), HP_OK);
    cr_expect_eq(dump.period, 524288);
    cr_expect_eq(dump.header_threads, 1);
    cr_expect_eq(dump.header.alloc.bytes, 320);
    cr_assert_eq(dump.stacks.count, 2);
    cr_expect_eq(dump.stacks.at[0].depth, 3);
    cr_expect_eq(dump.stacks.at[0].counts.inuse.bytes, 64);
    // The only thread repeats the total, so that its line is not kept.
    cr_expect_eq(dump.stacks.at[0].lines, 0);
    cr_expect_eq(dump.stacks.at[1].lines, 2);
    cr_expect_eq(dump.thread_lines.at[1].thread, 7);
    cr_expect_eq(dump.addresses.count, 3);
    cr_expect_eq(dump.addresses.at[dump.frames.at[1]], 0x7fc9268a2630);
    cr_expect_eq(dump.frames.at[3], dump.frames.at[0]); // the same address
    cr_assert_eq(dump.mappings.count, 1);
    cr_expect(hp_span_is(dump.mappings.at[0].path, "/bin/a b"));
    cr_expect(dump.mappings.at[0].deleted);
    cr_expect_null(dump.damage.what);
    cr_expect_eq(dump.malformed.count, 0);
}

// A line that repeats the total may be skipped only if it is the only one.
Test(jemalloc, reads_all_threads_though_the_first_has_all_of_the_total) {
    cr_assert_eq(parse(HEAD "@ 0x10\n  t*: 2: 16 [0: 0]\n  t1: 2: 16 [0: 0]\n"
                            " t2: 1: 8 [0: 0]\n" MAPS),
                 HP_OK);
    cr_expect_eq(dump.malformed.count, 0);
    cr_assert_eq(dump.stacks.count, 1);
    cr_expect_eq(dump.stacks.at[0].lines, 2);
}

// Every line is written in an unusual way, with the same numbers.
Test(jemalloc, reads_stacks_in_unusual_dress) {
    const char *text =
        "heap_v2/1\r\n  t*: 1: 8 [0: 0]\r\n@ 0x10 0x20 0xabcdef0123456789\r\n"
        "\tt*:  1:  8  [ 0: 0]  \r\n@\t0x0010   20 0xABCDEF0123456789\n"
        "t*: 1: 8 [0: 0]\n\n--- Memory map:\n";
    cr_assert_eq(parse(text), HP_OK);
    cr_assert_eq(dump.stacks.count, 2, "%s", dump.expected);
    for (int i = 0; i < 3; i++) {
        uint64_t a = dump.addresses.at[dump.frames.at[i]];
        uint64_t b = dump.addresses.at[dump.frames.at[3 + i]];
        cr_expect_eq(a, b);
    }
    cr_expect_null(dump.damage.what, "%s", dump.damage.what);
}

// Consecutive stacks share tokens, end in the middle of each other, or are equal.
Test(jemalloc, reuses_the_line_before_only_where_it_is_equal) {
    static const char *const stacks[] = {
        "0x1000 0x2000 0x3000", "0x1000 0x2000 0x3000",
        "0x1000 0x2000",        "0x1000 0x2000 0x3001",
        "0x1000 0x20000 0x3",   "0x100",
        "0x1000 0x20000",       "",
        "0x1000 0x20000",
    };
    char text[2048] = HEAD;
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
        char stack[256];
        snprintf(stack, sizeof stack, "@ %s\n  t*: 1: 8 [0: 0]\n", stacks[i]);
        strcat(text, stack);
    }
    strcat(text, MAPS);
    cr_assert_eq(parse(text), HP_OK);
    cr_assert_eq(dump.stacks.count, sizeof stacks / sizeof *stacks);
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
        char again[256] = "";
        for (uint32_t f = 0; f < dump.stacks.at[i].depth; f++) {
            uint32_t id = dump.frames.at[dump.stacks.at[i].first_frame + f];
            size_t used = strlen(again);
            snprintf(again + used, sizeof again - used, "%s0x%lx", f ? " " : "",
                     (unsigned long)dump.addresses.at[id]);
        }
        cr_expect_str_eq(again, stacks[i]);
    }
}

// A pthread name with a line break made jemalloc write "@ 0x41 0x42" into the header.
Test(jemalloc, passes_over_a_stack_without_counts) {
    const char *text =
        "heap_v2/4096\n  t*: 1: 64 [0: 0]\n  t1: 1: 64 [0: 0] a\n"
        "@ 0x41 0x42\n@ 0x10\n  t*: 1: 64 [0: 0]\n" MAPS;
    cr_assert_eq(parse(text), HP_OK);
    cr_expect_eq(dump.stacks.count, 1);
    cr_expect_eq(dump.malformed.count, 1);
    cr_expect_eq(dump.malformed.line, 4);
    cr_expect_null(dump.damage.what);
}

static const struct {
    const char *text, *what;
    uint64_t line;
} damages[] = {
    {HEAD "@ 0x10\n  t*: 1: 64 [2: 128]\n", "ends-before-map", 6},
    {HEAD "@ 0x10\n  t*: 1: 64 [2: 128]\n\nMAPPED_LIBRARIES:\n1000-2", "ends-in-line", 8},
    {"heap_v2/1\n@ 0x10\n  t*: 1: 64 [2: 128]\n" MAPS, "no-totals-line", 2},
    {HEAD "@ 0x10\n  t*: 0: 64 [2: 128]\n" MAPS, "counts-contradict", 5},
    {HEAD "@ 0x10\n  t*: 18446744073709551616: 64 [2: 128]\n" MAPS,
     "jemalloc-number-too-large", 5},
    {HEAD MAPS HEAD MAPS, "second-dump", 7},
    {HEAD "@ 0x10\n  t*: 1: 64 [2: 128]\n@ 0x20\n" MAPS, "last-stack-without-counts", 6},
    {HEAD "@ 0x10\n  t*: 1: 64 [2", "ends-in-line", 5},
};

Test(jemalloc, reports_damage_and_its_line) {
    hp_show_message_codes();
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        cr_assert_eq(parse(damages[i].text), HP_OK);
        cr_assert_not_null(dump.damage.what, "row %zu", i);
        cr_expect_str_eq(dump.damage.what, damages[i].what);
        cr_expect_eq(dump.damage.line, damages[i].line, "%s: %lu", damages[i].what,
                     (unsigned long)dump.damage.line);
    }
}

static const struct {
    const char *text, *expected;
    uint64_t line, stacks;
} malformed[] = {
    {HEAD "nonsense\n@ 0x10\n  t*: 1: 64 [2: 128]\n" MAPS, "totals-line-expected", 4, 1},
    {HEAD "@ 0x10\n  t*: 1: 64 [2: 128]\nnonsense\n" MAPS, "stack-or-map-expected", 6, 1},
    {HEAD "@ 0x10 0xzz\n  t*: 1: 64 [2: 128]\n" MAPS, "hex-number-expected", 4, 0},
    {HEAD "@ 0x10\n  t*: 1: 64 [2: 128\n" MAPS, "']'", 5, 0},
    {HEAD "@ 0x10\n  t*: 1: x [2: 128]\n" MAPS, "number-expected", 5, 0},
    {HEAD "@ 0x10\n  t*: 1: 64 [2: 128] name\n" MAPS, "line-end-expected", 5, 0},
    {HEAD "@ 0x10\n  t*: 5: 80 [0: 0]\n  t*: 1: 16 [0: 0]\n" MAPS,
     "counts-of-one-thread-expected", 6, 1},
    {HEAD "@ 0x0x10\n  t*: 1: 64 [2: 128]\n" MAPS, "hex-number-expected", 4, 0},
    {HEAD "@ 0x10\n  t*: x\n  t*: 1: 8 [0: 0]\n  t3: x\n" MAPS, "number-expected", 5, 1},
    {HEAD "@ 0x10\n  t*: 5: 80 [0: 0]\n" MAPS "garbage\n", "map-row-expected", 9, 1},
};

Test(jemalloc, names_the_line_that_fits_no_grammar) {
    hp_show_message_codes();
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        cr_assert_eq(parse(malformed[i].text), HP_OK);
        cr_assert_gt(dump.malformed.count, 0, "row %zu", i);
        cr_expect_str_eq(dump.expected, malformed[i].expected);
        cr_expect_eq(dump.malformed.line, malformed[i].line, "row %zu: %lu", i,
                     (unsigned long)dump.malformed.line);
        cr_expect_eq(dump.stacks.count, malformed[i].stacks, "row %zu", i);
    }
}

Test(jemalloc, counts_the_rows_of_the_map_that_are_none_or_overlap) {
    hp_show_message_codes();
    cr_assert_eq(parse(HEAD "@ 0x10\n  t*: 1: 64 [2: 128]\n" MAPS
                            "7000-6000 r-xp 00000000 fe:00 12 /b\nnonsense\n\n"
                            "1800-3000 r-xp 00000000 fe:00 12\n"
                            "1400-1800 r-xp 00000000 fe:00 12 /d"),
                 HP_OK);
    cr_expect_eq(dump.malformed.count, 2);
    cr_expect_eq(dump.malformed.line, 9);
    cr_expect_str_eq(dump.expected, "map-row-expected");
    cr_expect_eq(dump.overlaps.count, 2);
    cr_expect_eq(dump.overlaps.line, 12); // the other line begins before it
    cr_expect_eq(dump.damage.line, 13);
    cr_expect_eq(dump.lines, 13);
}

Test(jemalloc, leaves_out_counters_that_wrapped_around) {
    cr_assert_eq(parse(HEAD "@ 0x10\n  t*: 18446744073709551615: 18446744073709551000 "
                            "[2: 128]\n" MAPS),
                 HP_OK);
    cr_expect_eq(dump.wrapped.count, 1);
    cr_expect_eq(dump.wrapped.line, 5);
    cr_expect_eq(dump.stacks.at[0].counts.inuse.objects, 0);
    cr_expect_eq(dump.stacks.at[0].counts.alloc.objects, 2);
}

#define LISTED(lines) \
    HEAD "@ 0x10\n  t*: 1: 64 [2: 128]\n" lines "@ 0x20\n  t*: 1: 64 [2: 128]\n"

Test(jemalloc, reads_the_objects_and_slabs_that_clickhouse_lists) {
    cr_assert_eq(parse(LISTED("  t0: 1: 64 [2: 128]\n  f: 12 60 64 3 0 1\n"
                              "  f: 7 0 8388608 9 5 70000000000\n") //
                       "frag_util: 0 3 64 4096 64 1 10 500 2\n"
                       "frag_util: 1 9 320 20480 64 1 1 1 1\n" MAPS),
                 HP_OK);
    cr_expect_eq(dump.malformed.count + dump.unknown.count, 0);
    cr_assert_eq(dump.stacks.count, 2);
    cr_assert_eq(hp_dump_extra(&dump, 0).listed, 2);
    cr_expect_eq(hp_dump_extra(&dump, 1).listed, 0);
    cr_expect_eq(dump.listed.at[0].size, 64);
    cr_expect_eq(dump.listed.at[0].age, 12);
    cr_expect_eq(dump.listed.at[1].age, 7);
    cr_expect_eq(dump.listed.at[1].size, 8388608);
    cr_expect_eq(dump.listed.at[1].thread, 70000000000);
    cr_expect_eq(dump.slabs.bytes, 40960 + 20480);
    cr_expect_eq(dump.slabs.used, 32000 + 320);
}

static const struct {
    const char *text;
    uint64_t line;
    size_t listed; // objects listed for the first stack; the second is always read
} miswritten[] = {
    {LISTED("  f: 12 60 64 3 0\n  f: 12 60 64 3 0 1\n") MAPS, 6, 0},
    {LISTED("  f: 12 60 64 3 0 1\n  f: 12 60 64 3 0 x\n") MAPS, 7, 0},
    {LISTED("  f: 12 60 0 3 0 1\n") MAPS, 6, 0},
    {LISTED("  f: 12 60 64 3 0 1 2\n") MAPS, 6, 0},
    {LISTED("  f: 12 60 64 3 0 18446744073709551616\n") MAPS, 6, 0},
    {LISTED("  f: 12 60 64 3 0 1\n") "frag_util: 0 3 64 4096 64 1 10 500\n" MAPS, 9, 1},
    {LISTED("  f: 12 60 64 3 0 1\n") "frag_util: 0 3 64 4096 64 1 1 65 2\n" MAPS, 9, 1},
    {LISTED(
         "  f: 12 60 64 3 0 1\n") "frag_util: 0 3 64 4294967296 64 1 4294967296 65 2\n" MAPS,
     9, 1},
};

Test(jemalloc, takes_none_of_a_list_with_a_line_that_does_not_fit) {
    for (size_t i = 0; i < sizeof miswritten / sizeof *miswritten; i++) {
        cr_assert_eq(parse(miswritten[i].text), HP_OK);
        cr_expect_eq(dump.malformed.count, 1, "row %zu", i);
        cr_expect_eq(dump.malformed.line, miswritten[i].line, "row %zu", i);
        cr_expect_eq(dump.stacks.count, 2, "row %zu", i);
        cr_expect_eq(hp_dump_extra(&dump, 0).listed, miswritten[i].listed, "row %zu", i);
        cr_expect_eq(dump.slabs.bytes, 0, "row %zu", i);
    }
}

Test(jemalloc, gives_no_other_stack_the_objects_of_one_without_counts) {
    cr_assert_eq(parse(HEAD "@ 0x10\n  t0: 1: 64 [2: 128]\n  f: 12 60 64 3 0 1\n"
                            "@ 0x20\n  t*: 1: 64 [2: 128]\n" MAPS),
                 HP_OK);
    cr_assert_eq(dump.stacks.count, 1);
    cr_expect_eq(hp_dump_extra(&dump, 0).listed, 0);
}

Test(jemalloc, counts_lines_of_dialects_to_come) {
    cr_assert_eq(parse(HEAD "@ 0x10\n  t*: 1: 64 [2: 128]\n  g: 12 60 64 3 0 1\n"
                            "  frag_more: 0 1 2 3 4 5 6 7 8\n" MAPS),
                 HP_OK);
    cr_expect_eq(dump.unknown.count, 2);
    cr_expect_eq(dump.unknown.line, 6);
    cr_expect_eq(dump.malformed.count, 0);
    cr_expect_eq(dump.stacks.count, 1);
}

// Known lines are read at any position under a stack.
Test(jemalloc, reads_what_it_knows_between_lines_of_dialects_to_come) {
    cr_assert_eq(parse(HEAD "@ 0x10\n  x: new\n  t*: 4: 96 [0: 0]\n  g: 1\n"
                            "  t0: 3: 80 [0: 0]\n  f: 1 60 64 4 0 0\n  t7: 1: 16 [0: 0]\n"
                            "  x: 2\n  f: 1 9 32 4 0 7\n"
                            "@ 0x20\n  t*: 1: 8 [0: 0]\n  t0: 1: 8 [0: 0]\n  x: 3\n"
                            "  t1: 0: 0 [2: 16]\n"
                            "@ 0x30\n  x: new\n  t*: 4: 96 [0: 0]\n" MAPS),
                 HP_OK);
    cr_expect_null(dump.damage.what, "%s", dump.damage.what);
    cr_expect_eq(dump.malformed.count, 0);
    cr_expect_eq(dump.unknown.count, 5);
    cr_expect_eq(dump.unknown.line, 5);
    cr_assert_eq(dump.stacks.count, 3);
    cr_expect_eq(dump.stacks.at[0].counts.inuse.bytes, 96);
    cr_expect_eq(dump.stacks.at[0].lines, 2);
    cr_expect_eq(hp_dump_extra(&dump, 0).listed, 2);
    cr_expect_eq(dump.listed.at[1].thread, 7);
    cr_expect_eq(dump.stacks.at[1].lines, 2);
    cr_expect_eq(dump.thread_lines.at[3].thread, 1);
    cr_expect_eq(hp_dump_extra(&dump, 1).listed, 0);
}

Test(jemalloc, reads_counts_behind_blank_lines) {
    cr_assert_eq(parse(HEAD "@ 0x10\n\n  t*: 2: 16 [0: 0]\n\r\n  t0: 1: 8 [0: 0]\n\n"
                            "  t1: 1: 8 [0: 0]\n@ 0x20\n\n\n  t*: 1: 8 [0: 0]\n" MAPS),
                 HP_OK);
    cr_expect_null(dump.damage.what, "%s", dump.damage.what);
    cr_expect_eq(dump.malformed.count + dump.unknown.count, 0);
    cr_assert_eq(dump.stacks.count, 2);
    cr_expect_eq(dump.stacks.at[0].lines, 2);
}

Test(jemalloc, refuses_a_header_without_a_period) {
    hp_show_message_codes();
    cr_expect_eq(parse("heap_v2/x\n"), HP_E_FORMAT);
    cr_expect_eq(err.line, 1);
    cr_expect_str_eq(err.message, "sample-period-expected: number-expected");
}

// Two equal dumps may list threads in a different order; then only the digest of samples
// is the same.
Test(jemalloc, distinguishes_equal_samples_from_others) {
    cr_assert_eq(parse(HEAD "@ 0x10\n  t*: 1: 64 [2: 128]\n" MAPS), HP_OK);
    struct hp_digest first = dump.samples, content = dump.content;
    cr_assert_eq(parse(HEAD "@ 0x10\n  t*: 1: 64 [2: 128]\n" MAPS "\n"), HP_OK);
    cr_expect_eq(memcmp(&first, &dump.samples, sizeof first), 0);
    cr_expect_neq(memcmp(&content, &dump.content, sizeof content), 0);
    cr_assert_eq(parse(HEAD "@ 0x10\n  t*: 1: 64 [2: 129]\n" MAPS), HP_OK);
    cr_expect_neq(memcmp(&first, &dump.samples, sizeof first), 0);
}

// Read a file as in production, in as many windows as it takes.  The dump borrows from
// the reader.
static struct hp_reader read_back(FILE *file) {
    struct hp_reader reader = {0};
    char path[64];
    bool is_elf;
    fflush(file);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
    cr_assert_eq(hp_reader_read(&reader, path, &dump, &is_elf, &err), HP_OK);
    return reader;
}

// The file has many windows and stacks of every length.  It is read as a file, and in
// pieces through a pipe.
Test(jemalloc, reads_a_file_in_windows_as_if_it_were_one) {
    enum {
        STACKS = 40000,
        DEEPEST = 97
    };

    FILE *file = fdopen(memfd_create("dump", 0), "w");
    fputs(HEAD, file);
    uint64_t frames = 0;
    for (int i = 0; i < STACKS; i++) {
        fputs("@", file);
        for (int f = 0; f < i % DEEPEST; f++, frames++) {
            fprintf(file, " %#x", 0x1000 + (i * 7 + f) % 5000);
        }
        fprintf(file, "\n  t*: %d: %d [0: 0]\n", i + 1, 8 * (i + 1));
        for (int thread = 0; thread < i % 3; thread++) {
            fprintf(file, "  t%d: 1: 8 [0: 0]\n", thread);
        }
    }
    fputs(MAPS, file);
    struct hp_reader reader = read_back(file);
    cr_expect_null(dump.damage.what, "%s", dump.damage.what);
    cr_expect_eq(dump.malformed.count, 0, "line %lu: %s",
                 (unsigned long)dump.malformed.line, dump.expected);
    cr_assert_eq(dump.stacks.count, STACKS);
    cr_expect_eq(dump.frames.count, frames);
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
    cr_expect_gt(dump.bytes, 4 << 20);
    hp_reader_done(&reader);
    fclose(file);
}

// More addresses than the CPU's caches have room for, most of them twice, with 12 digits
// and with fewer.
Test(jemalloc, reads_many_addresses_each_once) {
    enum {
        STACKS = 4000,
        DEPTH = 40,
        ADDRESSES = 99990,
    };

    FILE *file = fdopen(memfd_create("dump", 0), "w");
    fputs(HEAD, file);
    for (unsigned i = 0; i < STACKS * DEPTH; i++) {
        uint64_t number = 0x7f0000000000 >> (i / 10 % 3 * 4);
        fprintf(file, "%s %#lx", i % DEPTH ? "" : "@",
                (unsigned long)number + 16 * (i % ADDRESSES));
        fputs(i % DEPTH == DEPTH - 1 ? "\n  t*: 1: 8 [0: 0]\n" : "", file);
    }
    fputs("@ 0x7f0000000010 0x7f00000000g0 0x7f0000000020\n  t*: 1: 8 [0: 0]\n" MAPS,
          file);
    struct hp_reader reader = read_back(file);
    cr_expect_eq(dump.malformed.count, 1); // the last stack
    cr_assert_eq(dump.frames.count, STACKS * DEPTH);
    size_t wrong = 0, distinct = 0;
    for (unsigned i = 0; i < STACKS * DEPTH; i++) {
        uint64_t number = 0x7f0000000000 >> (i / 10 % 3 * 4);
        wrong += dump.addresses.at[dump.frames.at[i]] != number + 16 * (i % ADDRESSES);
        distinct += dump.frames.at[i] == distinct;
    }
    cr_expect_eq(wrong, 0);
    cr_expect_eq(distinct, ADDRESSES);
    hp_reader_done(&reader);
    fclose(file);
}

// The error is in a line far after the first window.
Test(jemalloc, counts_lines_across_windows) {
    enum {
        STACKS = 40000
    };

    FILE *file = fdopen(memfd_create("dump", 0), "w");
    fputs(HEAD, file);
    for (int i = 0; i < STACKS; i++) {
        fputs("@ 0x1000 0x2000 0x3000\n  t*: 1: 8 [0: 0]\n  t0: 1: 8 [0: 0]\n", file);
    }
    fputs("nonsense\n" MAPS, file);
    struct hp_reader reader = read_back(file);
    cr_expect_eq(dump.malformed.count, 1);
    cr_expect_eq(dump.malformed.line, 3 + 3 * STACKS + 1);
    hp_reader_done(&reader);
    fclose(file);
}
