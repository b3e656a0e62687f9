// Tests of folded stacks.
#include "model/profile.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct hp_error *const no_errors[HP_COLUMNS];

struct memory {
    char text[4096];
    size_t size;
};

// A hp_write_fn that appends to a struct memory.
static int append(void *data, const void *bytes, size_t size) {
    struct memory *memory = data;
    cr_assert_lt(memory->size + size, sizeof memory->text);
    memcpy(memory->text + memory->size, bytes, size);
    memory->size += size;
    return 0;
}

static struct hp_profile profile;

// A frame with a function of this name.
static hp_frame_id frame_named(const char *name) {
    hp_frame_id id =
        hp_profile_frame(&profile, (hp_module_id){0}, profile.frames.count + 1);
    struct hp_frame *frame = &profile.frames.at[id.n];
    frame->first_line = (uint32_t)profile.lines.count;
    frame->lines = 1;
    hp_string function = hp_strtab_add(&profile.strings, hp_span_of(name));
    hp_vec_push(&profile.lines, ((struct hp_line){.function = function}));
    return id;
}

// Add a stack where `root` calls `leaf`; the value is in units of 2^-20 bytes.
static void add(const char *leaf, const char *root, hp_fixed value) {
    hp_frame_id frames[2] = {frame_named(leaf), frame_named(root)};
    struct hp_values values = {{[HP_INUSE_SPACE] = value}};
    hp_profile_add(&profile, &(struct hp_sample){frames, 2, {0}}, &values, no_errors);
}

// The report; valid until the next call.  Empties the profile.
static const char *folded(void) {
    static struct memory memory;
    memory = (struct memory){0};
    struct hp_report_options options = {.kind = HP_REPORT_MERGE, .format = "folded"};
    struct hp_err err;
    struct hp_view *view = hp_view_new(&profile, &options, &err);
    cr_assert_not_null(view);
    cr_assert_eq(hp_view_write(view, append, &memory, &err), HP_OK);
    hp_view_free(view);
    hp_profile_done(&profile);
    return memory.text;
}

static const hp_fixed one = (hp_fixed)1 << HP_SPACE_FRACTION;

static void setup(void) {
    hp_profile_init(&profile);
}

TestSuite(folded, .init = setup);

Test(folded, writes_the_root_first_and_merges_equal_names) {
    add("leaf", "main", one * 3);
    add("leaf", "main", one * 4);
    add("other", "main", one);
    cr_expect_str_eq(folded(), "main;leaf 7\nmain;other 1\n");
}

// Characters that would end a frame, a line or the count are replaced.
Test(folded, lets_no_name_break_its_line) {
    add("a;b\nc\td", "x 12", one);
    add("leaf 42", "main", one);
    add("leaf 4x", "main", one);
    add("esc\033[31m\xff", "main", one);
    cr_expect_str_eq(folded(),
                     "main;esc [31m\\xFF 1\n"
                     "main;leaf_42 1\n"
                     "main;leaf 4x 1\n"
                     "x 12;a:b c d 1\n");
}

// 0.4 + 0.4 + 0.4 bytes are rounded to a total of 1, which is also the sum of the lines.
Test(folded, rounds_so_that_the_lines_add_up_to_the_total) {
    add("a", "main", one * 2 / 5);
    add("b", "main", one * 2 / 5);
    add("c", "main", one * 2 / 5 + 1);
    cr_expect_str_eq(folded(), "main;c 1\n");
}
