// Tests of the stacks of a report: merging, limits and order.
#include "view/stacks.h"

#include <criterion/criterion.h>

static const struct hp_error *const no_errors[HP_COLUMNS];
static const hp_fixed one = (hp_fixed)1 << HP_SPACE_FRACTION;
static struct hp_profile profile;
static struct hp_naming naming;
static struct hp_stacks stacks;

static void setup(void) {
    hp_profile_init(&profile);
}

static void done(void) {
    hp_stacks_done(&stacks);
    hp_naming_done(&naming);
    hp_profile_done(&profile);
}

TestSuite(stacks, .init = setup, .fini = done);

// A frame with these calls, innermost first; NULL ends them.
static hp_frame_id frame(uint64_t offset, const char *const *calls) {
    hp_frame_id id = hp_profile_frame(&profile, (hp_module_id){0}, offset);
    profile.frames.at[id.n].first_line = (uint32_t)profile.lines.count;
    for (; *calls; calls++) {
        hp_string function = hp_strtab_add(&profile.strings, hp_span_of(*calls));
        hp_vec_push(&profile.lines, ((struct hp_line){.function = function}));
        profile.frames.at[id.n].lines++;
    }
    return id;
}

#define FRAME(offset, ...) frame(offset, (const char *const[]){__VA_ARGS__, NULL})

// Add a stack with a value.
static void add(hp_frame_id *frames, uint32_t depth, hp_fixed value) {
    struct hp_values values = {{[HP_INUSE_SPACE] = value}};
    hp_profile_add(&profile, &(struct hp_sample){frames, depth, {0}}, &values, no_errors);
}

// Expect the name of a call at a place of a stack.
static void expect_name(uint32_t stack, uint32_t place, uint32_t call, const char *name) {
    struct hp_place at = hp_stacks_place(&stacks, stacks.all.at[stack].at[place]);
    cr_assert_lt(call, at.count);
    cr_expect(hp_span_is(hp_node_name(&naming, at.calls[call].node), name));
    if (at.lines) {
        cr_expect_str_eq(hp_profile_text(&profile, at.lines[call].function), name);
    }
}

// Make the stacks of a report; the allocator's frames are hidden by default.
static void collect(struct hp_report_options options) {
    static const struct hp_filters no_filters;
    struct hp_err err;
    options.frames.fold = options.frames.fold ? options.frames.fold : HP_FRAMES_ALL;
    cr_assert_eq(hp_naming_init(&naming, &profile, &no_filters, &options, &err), HP_OK);
    hp_stacks_init(&stacks, HP_STACKS_OF_ADDRESSES, &naming, &options);
}

static const struct hp_report_options defaults;

Test(stacks, leaves_out_allocator_calls_inlined_into_a_frame) {
    hp_frame_id main = FRAME(10, "main");
    hp_frame_id frames[] = {FRAME(1, "malloc"),
                            FRAME(2, "operator new(unsigned long)", "f", "g"), main};
    add(frames, 3, one);
    collect(defaults);
    cr_assert_eq(stacks.all.count, 1);
    cr_assert_eq(stacks.all.at[0].depth, 2);
    cr_expect_eq(hp_stacks_place(&stacks, stacks.all.at[0].at[0]).count, 2);
    expect_name(0, 0, 0, "f");
    expect_name(0, 0, 1, "g");
    expect_name(0, 1, 0, "main");
}

Test(stacks, adds_up_what_differs_in_allocator_frames_only) {
    hp_frame_id main = FRAME(10, "main");
    hp_frame_id a[] = {FRAME(1, "malloc"), main}, b[] = {FRAME(2, "calloc"), main};
    add(a, 2, one);
    add(b, 2, one * 2);
    collect(defaults);
    cr_assert_eq(stacks.all.count, 1);
    struct hp_stack_sums sums;
    hp_stack_sums_init(&sums, &stacks, false);
    hp_stack_sums_add(&sums, &stacks, (struct hp_selection){HP_OF_ALL, 0});
    cr_expect(sums.values[0].of[HP_INUSE_SPACE] == one * 3);
    cr_expect_eq(stacks.of_profile[0], stacks.of_profile[1]);
    hp_stack_sums_done(&sums);
}

Test(stacks, keeps_stacks_of_other_allocator_frames_apart_if_asked) {
    hp_frame_id main = FRAME(10, "main");
    hp_frame_id a[] = {FRAME(1, "malloc"), main}, b[] = {FRAME(2, "calloc"), main};
    add(a, 2, one);
    add(b, 2, one);
    collect((struct hp_report_options){.frames.fold = HP_FRAMES_RAW});
    cr_expect_eq(stacks.all.count, 2);
}

Test(stacks, keeps_the_root_of_a_stack_of_allocator_frames) {
    hp_frame_id frames[] = {FRAME(1, "malloc"), FRAME(2, "calloc")};
    add(frames, 2, one);
    collect(defaults);
    cr_assert_eq(stacks.all.at[0].depth, 1);
    expect_name(0, 0, 0, "calloc");
}

Test(stacks, names_what_has_no_frame) {
    hp_frame_id frames[128];
    for (uint64_t i = 0; i < 128; i++) {
        frames[i] = FRAME(i + 1, "f");
    }
    add(frames, 128, one);
    add(NULL, 0, one);
    collect(defaults);
    cr_assert_eq(stacks.all.count, 2);
    expect_name(0, 0, 0, "[empty stack]");
    cr_assert_eq(stacks.all.at[1].depth, 129);
    expect_name(1, 128, 0, "[truncated]");
    cr_expect_null(hp_stacks_place(&stacks, stacks.all.at[1].at[128]).frame);
}

Test(stacks, hides_inlined_calls_if_asked) {
    hp_frame_id frames[] = {FRAME(2, "f", "g", "h")};
    add(frames, 1, one);
    collect((struct hp_report_options){.frames.no_inlines = true});
    cr_expect_eq(hp_stacks_place(&stacks, stacks.all.at[0].at[0]).count, 1);
    expect_name(0, 0, 0, "h");
}

Test(stacks, are_in_the_order_of_places_from_the_root) {
    hp_frame_id a = FRAME(1, "z"), b = FRAME(2, "a"), c = FRAME(3, "c");
    add((hp_frame_id[]){c, b}, 2, one);
    add((hp_frame_id[]){a, c}, 2, one);
    add((hp_frame_id[]){b}, 1, one);
    add((hp_frame_id[]){c, a}, 2, one);
    collect(defaults);
    cr_assert_eq(stacks.all.count, 4);
    expect_name(0, 1, 0, "z");
    expect_name(1, 0, 0, "a");
    cr_expect_eq(stacks.all.at[1].depth, 1);
    expect_name(2, 1, 0, "a");
    expect_name(3, 1, 0, "c");
    const uint32_t order[] = {2, 3, 1, 0};
    cr_expect_arr_eq(stacks.of_profile, order, sizeof order);
}

Test(stacks, stand_for_deeper_ones_by_their_leaf_side) {
    hp_frame_id frames[] = {FRAME(1, "a"), FRAME(2, "b"), FRAME(3, "c"), FRAME(4, "d")};
    add(frames, 4, one);
    add(frames, 3, one);
    collect((struct hp_report_options){.pprof.max_depth = 3});
    cr_assert_eq(stacks.all.count, 2);
    cr_assert_eq(stacks.all.at[1].depth, 3);
    expect_name(1, 0, 0, "a");
    expect_name(1, 1, 0, "b");
    expect_name(1, 2, 0, "[truncated]");
}

Test(stacks, become_one_where_they_are_too_many_and_small) {
    hp_frame_id a = FRAME(1, "a"), b = FRAME(2, "b"), c = FRAME(3, "c"),
                d = FRAME(4, "d");
    add(&a, 1, one);
    add(&b, 1, one * 9);
    add(&c, 1, one * 3);
    add(&d, 1, one * 3);
    collect((struct hp_report_options){.pprof.max_samples = 3});
    cr_assert_eq(stacks.all.count, 3);
    expect_name(0, 0, 0, "b");
    expect_name(1, 0, 0, "c");
    expect_name(2, 0, 0, "[other]");
    const uint32_t of_profile[] = {2, 0, 1, 2};
    cr_expect_arr_eq(stacks.of_profile, of_profile, sizeof of_profile);
}
