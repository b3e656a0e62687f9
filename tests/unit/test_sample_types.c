// Tests of sample types of pprof inputs that are no metric.
#include "inputs/annotations.h"
#include "model/sample_types.h"

#include <criterion/criterion.h>
#include <limits.h>

static struct hp_sample_types types;
static struct hp_strtab strings;

static void done(void) {
    hp_sample_types_done(&types);
    hp_strtab_done(&strings);
}

TestSuite(sample_types, .fini = done);

// Intern a string.
static hp_string text(const char *string) {
    return hp_strtab_add(&strings, hp_span_of(string));
}

// The number of a sample type.
static uint32_t find(const char *type, const char *unit) {
    return hp_sample_types_find(&types, text(type), text(unit),
                                strcmp(unit, "bytes") == 0);
}

// Add a value of one input and stack.
static void add(uint32_t type, uint32_t input, uint32_t stack, int64_t value) {
    hp_sample_type_begin(&types.of.at[type], input, false);
    hp_sample_type_add(&types, type, stack, value);
    hp_sample_type_end(&types.of.at[type]);
}

// The sum of a stack.
static int64_t sum_of(const struct hp_sample_type *type, uint32_t stack) {
    const struct hp_sample_sum *sum;
    hp_vec_each (sum, &type->sums) {
        if (sum->stack == stack) {
            return (int64_t)hp_fixed_round(sum->value, type->in_place_of);
        }
    }
    return 0;
}

Test(sample_types, are_distinguished_by_their_units) {
    uint32_t bytes = find("age", "bytes"), seconds = find("age", "seconds");
    cr_expect_neq(bytes, seconds);
    cr_expect_eq(find("age", "bytes"), bytes);
    cr_expect_eq(types.of.at[bytes].in_place_of, HP_INUSE_SPACE);
    cr_expect_eq(types.of.at[seconds].in_place_of, HP_INUSE_OBJECTS);
}

Test(sample_types, have_the_sums_of_their_stacks_and_inputs) {
    uint32_t type = find("age", "seconds");
    add(type, 7, 3, 5);
    add(type, 2, 3, -8);
    add(type, 4, 9, INT64_MAX);
    add(type, 5, 9, 0);
    hp_sample_types_sort(&types, &strings);
    const struct hp_sample_type *found = &types.of.at[0];
    cr_expect_eq(sum_of(found, 3), -3);
    cr_expect_eq(sum_of(found, 9), INT64_MAX);
    cr_expect(hp_sample_type_input(found, 2)->is_negative);
    cr_expect_not(hp_sample_type_input(found, 7)->is_negative);
    cr_expect_eq(hp_sample_type_input(found, 5)->total, 0);
    cr_expect_null(hp_sample_type_input(found, 3));
    cr_expect_eq(hp_fixed_round(hp_sample_type_total(found), found->in_place_of),
                 (hp_int128)INT64_MAX - 3);
    cr_expect_not(types.overflow);
}

Test(sample_types, take_over_others_with_their_stacks_renumbered) {
    struct hp_strtab others_strings = {0};
    struct hp_sample_types others = types;
    uint32_t map[] = {40, 41};
    add(find("b", "bytes"), 0, 40, 1);
    others = (struct hp_sample_types){0};
    hp_string unit = hp_strtab_add(&others_strings, hp_span_of("bytes"));
    for (int i = 0; i < 2; i++) {
        hp_string name = hp_strtab_add(&others_strings, hp_span_of(i ? "a" : "b"));
        uint32_t number = hp_sample_types_find(&others, name, unit, true);
        hp_sample_type_begin(&others.of.at[number], 1, false);
        hp_sample_type_add(&others, number, (uint32_t)i, 10 + i);
        hp_sample_type_end(&others.of.at[number]);
    }
    struct hp_sample_import import = {&strings, &others_strings, map, 2};
    hp_sample_types_absorb(&types, &others, &import);
    hp_sample_types_sort(&types, &strings);
    cr_assert_eq(types.of.count, 2);
    cr_expect_str_eq(hp_strtab_text(&strings, types.of.at[0].type), "a");
    cr_expect_eq(sum_of(&types.of.at[0], 41), 11);
    cr_expect_eq(sum_of(&types.of.at[1], 40), 11);
    cr_expect_eq(types.of.at[1].inputs.count, 2);
    hp_sample_types_done(&others);
    hp_strtab_done(&others_strings);
}

Test(sample_types, report_a_sum_that_does_not_fit) {
    uint32_t type = find("age", "seconds");
    add(type, 0, 0, INT64_MAX);
    struct hp_sample_sum *sum = &types.of.at[type].sums.at[0];
    sum->value = (hp_fixed)(~(hp_uint128)0 >> 1) - 1;
    cr_expect_not(types.overflow);
    add(type, 1, 0, 1);
    cr_expect(types.overflow);
}

Test(sample_types, annotations_are_kept_once_in_the_order_of_their_places) {
    static const char *const texts[2][3] = {{"c", "b", "a"}, {"b", "d", "a"}};
    struct hp_annotations both[2] = {{.time = 0}, {.time = 0}};
    for (int order = 0; order < 2; order++) {
        for (int i = 0; i < 2; i++) {
            struct hp_annotations one = {.time = i ? 5 : 9,
                                         .period = i ? 3 : 4,
                                         .duration = UINT64_MAX / 2 + 1};
            for (uint32_t k = 0; k < 3; k++) {
                hp_annotations_add(&one, HP_ANNOTATION_COMMENT, text(texts[i ^ order][k]),
                                   k);
            }
            hp_annotations_import(&both[order], &strings, &one, &strings);
            hp_annotations_done(&one);
        }
        hp_annotations_sort(&both[order], &strings);
        char all[8] = "";
        const struct hp_annotation *each;
        hp_vec_each (each, &both[order].all) {
            strcat(all, hp_strtab_text(&strings, each->text));
        }
        cr_expect_str_eq(all, "bcda");
        cr_expect_eq(both[order].time, 5);
        cr_expect_eq(both[order].period, 4);
        cr_expect_eq(both[order].duration, UINT64_MAX);
        hp_annotations_done(&both[order]);
    }
}
