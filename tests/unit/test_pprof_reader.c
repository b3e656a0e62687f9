// Tests of the reader of pprof profiles.
#include "input/pprof_types.h"
#include "input/reader.h"
#include "report/pprof/protobuf.h"

#include <criterion/criterion.h>
#include <malloc.h>
#include <string.h>

// Field numbers of a profile; the last ones are those of a mapping and a function.
enum {
    SAMPLE_TYPE = 1,
    SAMPLE = 2,
    MAPPING = 3,
    LOCATION = 4,
    FUNCTION = 5,
    STRING = 6,
    DROP_FRAMES = 7,
    KEEP_FRAMES = 8,
    PERIOD_TYPE = 11,
    COMMENT = 13,
    DEFAULT_TYPE = 14,
    DOC_URL = 15,
    ID = 1,
};

static struct hp_protobuf profile, part;

static void done(void) {
    hp_protobuf_done(&profile);
    hp_protobuf_done(&part);
}

TestSuite(pprof_reader, .fini = done);

static const char *const strings[] = {"", "inuse_space", "bytes"};

enum {
    // Number of a string that does not exist.
    MISSING = sizeof strings / sizeof *strings,
};

// Add a message with two numbers as a field of the profile.
static void add_part(uint32_t field, uint32_t first, uint64_t a, uint32_t second,
                     uint64_t b) {
    hp_protobuf_clear(&part);
    hp_protobuf_number(&part, first, a);
    hp_protobuf_number(&part, second, b);
    hp_protobuf_message(&profile, field, &part);
}

// Begin a profile that is valid so far.
static void begin(void) {
    hp_protobuf_clear(&profile);
    add_part(SAMPLE_TYPE, 1, 1, 2, 2);
    for (size_t i = 0; i < MISSING; i++) {
        hp_protobuf_text(&profile, STRING, hp_span_of(strings[i]));
    }
}

// Read the profile; returns the error code.
static int read_it(struct hp_err *err) {
    struct hp_reader reader = {0};
    struct hp_dump dump = {0};
    bool is_elf;
    struct hp_span text = {(const char *)profile.bytes.at, profile.bytes.count};
    int ret = hp_reader_read_bytes(&reader, text, &dump, &is_elf, err);
    hp_reader_done(&reader);
    hp_dump_done(&dump);
    return ret;
}

// Expect that the profile is refused because of a missing string.
static void expect_missing_string(const char *where) {
    hp_show_message_codes();
    struct hp_err err = {0};
    cr_expect_eq(read_it(&err), HP_E_FORMAT, "%s", where);
    cr_expect(strstr(err.message, "damaged-pprof: string-missing"), "%s: %s", where,
              err.message);
}

Test(pprof_reader, R33_a_string_that_is_not_there_is_refused_wherever_it_is_named) {
    static const uint32_t numbers[] = {DROP_FRAMES, KEEP_FRAMES, DEFAULT_TYPE, DOC_URL};
    static const uint32_t parts[][4] = {
        {SAMPLE_TYPE, 1, 2}, {PERIOD_TYPE, 1, 2}, {MAPPING, 5, 6}, {FUNCTION, 2, 4}};
    struct hp_err err = {0};
    begin();
    cr_assert_eq(read_it(&err), HP_OK, "%s", err.message);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        begin();
        hp_protobuf_number(&profile, numbers[i], MISSING);
        expect_missing_string("a number");
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        for (size_t k = 1; k < 3; k++) {
            bool has_id = parts[i][0] == MAPPING || parts[i][0] == FUNCTION;
            begin();
            add_part(parts[i][0], ID, has_id ? 7 : 0, parts[i][k], MISSING);
            expect_missing_string("a part");
        }
    }
}

Test(pprof_reader, R33_so_is_one_of_any_comment) {
    for (uint64_t i = 0; i < 3; i++) {
        const uint64_t comments[] = {i == 0 ? MISSING : 1, i == 1 ? MISSING : 1,
                                     i == 2 ? MISSING : 1};
        begin();
        hp_protobuf_numbers(&profile, COMMENT, comments, 3);
        expect_missing_string("a comment");
    }
}

static enum hp_metric metric_of(const struct hp_pprof_kinds *kinds, size_t type) {
    return kinds->of.at[type].metric;
}

Test(pprof_reader, of_two_types_of_one_metric_that_of_go_counts) {
    struct hp_pprof_tables tables = {0};
    struct hp_pprof_kinds kinds = {0};
    struct hp_err err = {0};
    const char *const texts[] = {"", "space", "inuse_space", "bytes"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hp_vec_push(&tables.strings, hp_span_of(texts[i]));
    }
    hp_vec_push(&tables.types, ((struct hp_pprof_type){1, 3}));
    hp_vec_push(&tables.types, ((struct hp_pprof_type){2, 3}));
    cr_assert_eq(hp_pprof_kinds_find(&kinds, &tables, HP_PRODUCER_UNKNOWN, &err), HP_OK);
    cr_expect_eq(metric_of(&kinds, 0), HP_METRICS);
    cr_expect_eq(metric_of(&kinds, 1), HP_INUSE_SPACE);
    cr_expect_eq(kinds.found, 1u << HP_METRICS | 1u << HP_INUSE_SPACE);
    hp_vec_done(&kinds.of);
    hp_pprof_tables_done(&tables);
}

// Builds with sanitizers report no numbers, but find leaks themselves.
Test(pprof_reader, keeps_no_memory_of_what_it_has_read) {
    struct hp_err err = {0};
    begin();
    cr_assert_eq(read_it(&err), HP_OK);
    size_t before = mallinfo2().uordblks;
    for (int i = 0; i < 10; i++) {
        cr_assert_eq(read_it(&err), HP_OK);
    }
    cr_expect_eq(mallinfo2().uordblks, before);
}

// --- locations -------------------------------------------------------------------------

enum {
    FAR = 1 << 22, // an id that takes four bytes
};

// Begin a profile with locations; the address of each is its id.
static void begin_with_locations(void) {
    static const uint64_t ids[] = {1, 200, 20000, FAR};
    begin();
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        add_part(LOCATION, 1, ids[i], 3, ids[i]);
    }
}

// Add a sample with these locations, packed or one by one.
static void add_sample(const uint64_t *locations, size_t count, bool is_packed) {
    hp_protobuf_clear(&part);
    for (size_t i = 0; i < count && !is_packed; i++) {
        hp_protobuf_number(&part, 1, locations[i]);
    }
    hp_protobuf_numbers(&part, 1, locations, is_packed ? count : 0);
    hp_protobuf_number(&part, 2, 4096);
    hp_protobuf_message(&profile, SAMPLE, &part);
}

// Ids that were seen before and new ones, of every size.
static const uint64_t stack[] = {1, 200, 1, FAR, 20000, 200, FAR, 20000, 1};

enum {
    DEPTH = sizeof stack / sizeof *stack,
};

// Expect that all stacks of the dump are `stack`.
static void expect_stacks(const struct hp_dump *dump, size_t count) {
    cr_assert_eq(dump->stacks.count, count);
    cr_assert_eq(dump->frames.count, count * DEPTH);
    for (size_t i = 0; i < dump->frames.count; i++) {
        uint64_t address = dump->addresses.at[dump->frames.at[i]];
        cr_expect_eq(address, stack[i % DEPTH] + 1, "frame %zu: %zu", i, (size_t)address);
    }
}

Test(pprof_reader, reads_the_locations_of_a_stack_packed_or_not) {
    struct hp_reader reader = {0};
    struct hp_dump dump = {0};
    struct hp_err err = {0};
    bool is_elf;
    begin_with_locations();
    for (int i = 0; i < 4; i++) {
        add_sample(stack, DEPTH, i % 2 == 0);
    }
    struct hp_span text = {(const char *)profile.bytes.at, profile.bytes.count};
    cr_assert_eq(hp_reader_read_bytes(&reader, text, &dump, &is_elf, &err), HP_OK);
    expect_stacks(&dump, 4);
    hp_reader_done(&reader);
    hp_dump_done(&dump);
}

Test(pprof_reader, R33_a_location_that_is_not_there_is_refused_wherever_it_is_named) {
    hp_show_message_codes();
    for (size_t i = 0; i < DEPTH; i++) {
        struct hp_err err = {0};
        uint64_t wrong[DEPTH];
        memcpy(wrong, stack, sizeof stack);
        wrong[i] = i % 2 == 0 ? 2 : 300;
        begin_with_locations();
        add_sample(stack, DEPTH, true);
        add_sample(wrong, DEPTH, i % 3 > 0);
        cr_expect_eq(read_it(&err), HP_E_FORMAT, "%zu", i);
        cr_expect(strstr(err.message, "location-missing"), "%s", err.message);
    }
}
