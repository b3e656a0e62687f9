// Tests of the writer of pprof profiles.
#include "model/profile.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <zlib.h>

static const struct hp_error *const no_errors[HP_COLUMNS];
static struct hp_profile profile;

struct memory {
    unsigned char bytes[4096];
    size_t size;
};

// A hp_write_fn that appends to a struct memory.
static int append(void *data, const void *bytes, size_t size) {
    struct memory *memory = data;
    cr_assert_lt(memory->size + size, sizeof memory->bytes);
    memcpy(memory->bytes + memory->size, bytes, size);
    memory->size += size;
    return 0;
}

static void setup(void) {
    hp_profile_init(&profile);
    hp_vec_push(&profile.inputs.records,
                ((struct hp_input_record){.public.name = "one"}));
}

static void done(void) {
    hp_profile_done(&profile);
}

TestSuite(pprof, .init = setup, .fini = done);

// Add a stack of one frame, with its readable name and its linker name; `value` is in
// bytes.
static void add(const char *function, const char *linkage, hp_int128 value) {
    hp_frame_id id =
        hp_profile_frame(&profile, (hp_module_id){0}, profile.frames.count + 1);
    profile.frames.at[id.n].first_line = (uint32_t)profile.lines.count;
    profile.frames.at[id.n].lines = 1;
    struct hp_line line = {
        .function = hp_strtab_add(&profile.strings, hp_span_of(function)),
        .linkage = hp_strtab_add(&profile.strings, hp_span_of(linkage)),
    };
    hp_vec_push(&profile.lines, line);
    struct hp_values values = {{[HP_INUSE_SPACE] = value << HP_SPACE_FRACTION}};
    hp_profile_add(&profile, &(struct hp_sample){&id, 1, {0}}, &values, no_errors);
}

// Write the profile as pprof.
static int write_pprof(struct memory *memory, struct hp_err *err) {
    struct hp_report_options options = {.kind = HP_REPORT_MERGE, .format = "pprof"};
    hp_inputs_summarize(&profile.inputs);
    profile.keeps.labels = true;
    struct hp_view *view = hp_view_new(&profile, &options, err);
    cr_assert_not_null(view, "%s", err->message);
    int ret = hp_view_write(view, append, memory, err);
    hp_view_free(view);
    return ret;
}

// The decompressed message of the profile.
static struct memory message(void) {
    struct memory packed = {0}, plain = {0};
    struct hp_err err;
    cr_assert_eq(write_pprof(&packed, &err), HP_OK);
    z_stream stream = {.next_in = packed.bytes, .avail_in = (uInt)packed.size};
    stream.next_out = plain.bytes;
    stream.avail_out = sizeof plain.bytes;
    cr_assert_eq(inflateInit2(&stream, 15 + 16), Z_OK);
    cr_assert_eq(inflate(&stream, Z_FINISH), Z_STREAM_END);
    cr_assert_eq(stream.avail_in, 0);
    plain.size = stream.total_out;
    inflateEnd(&stream);
    return plain;
}

// Whether the bytes are in the message.
static bool holds(const struct memory *memory, const char *bytes) {
    return memmem(memory->bytes, memory->size, bytes, strlen(bytes)) != NULL;
}

Test(pprof, keeps_no_time_and_no_system_in_its_header) {
    struct memory packed = {0};
    struct hp_err err;
    add("f", "f", 1);
    cr_assert_eq(write_pprof(&packed, &err), HP_OK);
    cr_expect_arr_eq(packed.bytes, "\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
}

// Other tools merge the file, and escape names when they show them.
Test(pprof, R11_keeps_names_but_for_bytes_that_are_not_UTF_8) {
    add("esc\033[31m\xff\n", "esc\033[31m\xff\n", 1);
    struct memory plain = message();
    cr_expect(holds(&plain, "esc\033[31m\\xFF\n"));
}

// If both names were equal, tools would demangle the system name and truncate it.
Test(pprof, gives_the_system_name_only_where_it_differs) {
    add("std::f", "std::f", 1);
    struct memory plain = message();
    // Id 1, name 5, and no other field.
    cr_expect(holds(&plain, "\x2a\x04\x08\x01\x10\x05\x32"));
    add("g()", "_Z1gv", 1);
    plain = message();
    cr_expect(holds(&plain, "\x2a\x06\x08\x02\x10\x06\x18\x07\x32"));
    cr_expect(holds(&plain, "_Z1gv"));
}

Test(pprof, has_no_column_that_no_input_has) {
    add("f", "f", 1);
    struct hp_input_record *input = &profile.inputs.records.at[0];
    struct memory plain = message();
    cr_expect(holds(&plain, "inuse_space") && holds(&plain, "inuse_objects"));
    cr_expect_not(holds(&plain, "alloc_space") || holds(&plain, "alloc_objects"));
    input->missing_metrics = 1u << HP_INUSE_OBJECTS;
    plain = message();
    cr_expect(holds(&plain, "inuse_space"));
    cr_expect_not(holds(&plain, "inuse_objects"));
    input->missing_metrics = 1u << HP_INUSE_SPACE | 1u << HP_INUSE_OBJECTS;
    plain = message();
    cr_expect(holds(&plain, "alloc_space") && holds(&plain, "alloc_objects"));
    cr_expect_not(holds(&plain, "inuse_space"));
}

Test(pprof, has_a_column_though_there_is_no_input) {
    profile.inputs.records.count = 0;
    struct memory plain = message();
    cr_expect(holds(&plain, "inuse_space"));
}

Test(pprof, says_that_a_number_does_not_fit_instead_of_writing_another) {
    struct memory packed = {0};
    struct hp_err err;
    add("f", "f", INT64_MAX);
    cr_expect_eq(write_pprof(&packed, &err), HP_OK);
    add("g", "g", (hp_int128)INT64_MAX + 1);
    packed.size = 0;
    cr_expect_eq(write_pprof(&packed, &err), HP_E_OUTPUT);
    cr_expect_eq(err.sys, EOVERFLOW);
}
