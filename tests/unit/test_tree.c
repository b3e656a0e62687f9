// Tests of the report `tree`.
#include "view/report_tree.h"

#include <criterion/criterion.h>

static const struct hp_error *const no_errors[HP_COLUMNS];
static const hp_fixed one = (hp_fixed)1 << HP_SPACE_FRACTION;
static struct hp_profile profile;
static struct hp_view *view;

static void setup(void) {
    hp_profile_init(&profile);
}

static void done(void) {
    hp_view_free(view);
    hp_profile_done(&profile);
}

TestSuite(tree, .init = setup, .fini = done);

// A frame at an address.
static hp_frame_id frame(uint64_t offset) {
    return hp_profile_frame(&profile, (hp_module_id){0}, offset);
}

// Add a stack with a value.
static void add(hp_frame_id *frames, uint32_t depth, hp_fixed value) {
    struct hp_values values = {{[HP_INUSE_SPACE] = value}};
    hp_profile_add(&profile, &(struct hp_sample){frames, depth, {0}}, &values, no_errors);
}

// Whether a node has this name.
static bool is_called(uint32_t node, const char *name) {
    return hp_span_is(hp_view_name(view, node), name);
}

// Make the tree with at most `limit` nodes.
static const struct hp_tree *grow(size_t limit) {
    struct hp_report_options options = {.kind = HP_REPORT_TREE, .limit = limit};
    struct hp_err err = {0};
    view = hp_view_new(&profile, &options, &err);
    cr_assert_not_null(view, "%s", err.message);
    return view->extra;
}

Test(tree, of_a_recursion_of_300000_calls_is_as_deep) {
    enum {
        DEPTH = 300000
    };

    hp_frame_id *frames = hp_alloc(DEPTH * sizeof *frames);
    for (size_t i = 0; i < DEPTH; i++) {
        frames[i] = frame(1);
    }
    add(frames, DEPTH, one);
    add(frames, DEPTH - 1, one);
    free(frames);
    const struct hp_tree *tree = grow(0);
    cr_assert_eq(tree->nodes.count, DEPTH);
    cr_expect_eq(tree->nodes.at[DEPTH - 1].depth, DEPTH - 1);
    cr_expect(hp_tree_cum(tree, &tree->nodes.at[0]).sum == one * 2);
    cr_expect(hp_tree_flat(tree, &tree->nodes.at[DEPTH - 1]) == one);
    cr_expect(hp_tree_flat(tree, &tree->nodes.at[DEPTH - 2]) == one);
}

Test(tree, keeps_what_is_above_a_large_node_below_negative_ones) {
    hp_frame_id a = frame(1), b = frame(2), c = frame(3);
    add((hp_frame_id[]){c, b}, 2, one * 5);
    add((hp_frame_id[]){a, b}, 2, one * -9);
    add((hp_frame_id[]){a}, 1, one);
    const struct hp_tree *tree = grow(1);
    cr_assert_eq(tree->nodes.count, 2);
    cr_expect(is_called(0, "0x2"));
    cr_expect(is_called(1, "0x3"));
    cr_expect_eq(tree->nodes.at[1].parent, 0);
    cr_expect_eq(tree->hidden, 2);
}
