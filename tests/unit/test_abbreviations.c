// Tests of DWARF abbreviations (sym/): how they are decoded into steps for the reader of
// entries.  The bytes are those that compilers and other tools write.
#include "sym/debug_info.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <string.h>

static const struct hp_die_forms usual = {.version = 5,
                                          .offset_size = 4,
                                          .address_size = 8};

// Decode a whole table of abbreviations.  Returns whether all of them were understood.
static bool reads(struct hp_abbreviations *a, const void *bytes, size_t size,
                  const struct hp_die_forms *forms) {
    hp_abbreviations_begin(a, (struct hp_span){bytes, size}, 0, forms);
    return hp_abbreviations_finish(a);
}

#define READS(a, forms, ...)                       \
    reads(a, (const unsigned char[]){__VA_ARGS__}, \
          sizeof(const unsigned char[]){__VA_ARGS__}, forms)

// The steps of one abbreviation.
static const struct hp_die_step *steps_of(const struct hp_abbreviations *a,
                                          unsigned code) {
    return &a->steps.at[a->by_code.at[code].first_step];
}

Test(abbreviations, what_has_a_size_is_passed_over_at_once) {
    struct hp_abbreviations a = {0};
    cr_assert(READS(&a, &usual, 1, DW_TAG_variable, DW_CHILDREN_no, DW_AT_name,
                    DW_FORM_strp, DW_AT_decl_line, DW_FORM_data2, DW_AT_type,
                    DW_FORM_ref4, 0, 0, 0));
    cr_expect_eq(a.by_code.at[1].tag, DW_TAG_variable);
    cr_expect_not(a.by_code.at[1].has_children);
    cr_expect_eq(steps_of(&a, 1)->skipped, 10);
    cr_expect_eq(steps_of(&a, 1)->action, HP_DIE_DONE);
    hp_abbreviations_done(&a);
}

Test(abbreviations, entries_of_known_size_are_marked) {
    struct hp_abbreviations a = {0};
    cr_assert(READS(&a, &usual,                                             //
                    1, DW_TAG_member, 0, DW_AT_name, DW_FORM_strp, 0, 0,    //
                    2, DW_TAG_member, 0, DW_AT_name, DW_FORM_string, 0, 0,  //
                    3, DW_TAG_member, 1, DW_AT_sibling, DW_FORM_ref4, 0, 0, //
                    4, DW_TAG_subprogram, 1, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
                    DW_FORM_data4, 0, 0, //
                    0x80, 1, DW_TAG_member, 0, 0, 0, 0));
    cr_expect_eq(a.by_code.at[1].fixed, 5);
    cr_expect_eq(a.by_code.at[2].fixed, 0, "a text");
    cr_expect_eq(a.by_code.at[3].fixed, 0, "a sibling");
    cr_expect_eq(a.by_code.at[4].fixed, 13);
    cr_expect_eq(a.by_code.at[128].fixed, 2, "a code of two bytes");
    hp_abbreviations_done(&a);
}

Test(abbreviations, sizes_are_those_of_the_unit) {
    struct hp_abbreviations a = {0};
    struct hp_die_forms two = {.version = 2, .offset_size = 4, .address_size = 8};
    struct hp_die_forms wide = {.version = 4, .offset_size = 8, .address_size = 4};
    const unsigned char bytes[] = {
        1, DW_TAG_member, 0, DW_AT_type, DW_FORM_ref_addr, 0, 0, 0};
    cr_assert(reads(&a, bytes, sizeof bytes, &usual));
    cr_expect_eq(steps_of(&a, 1)->skipped, 4);
    cr_assert(reads(&a, bytes, sizeof bytes, &two), "an address in DWARF 2");
    cr_expect_eq(steps_of(&a, 1)->skipped, 8);
    cr_assert(reads(&a, bytes, sizeof bytes, &wide));
    cr_expect_eq(steps_of(&a, 1)->skipped, 8);
    hp_abbreviations_done(&a);
}

Test(abbreviations, addresses_are_read_in_forms_that_are_known) {
    struct hp_abbreviations a = {0};
    cr_assert(READS(&a, &usual,                                                      //
                    1, DW_TAG_subprogram, 1, DW_AT_low_pc, DW_FORM_addr,             //
                    DW_AT_high_pc, DW_FORM_data4, DW_AT_sibling, DW_FORM_ref4, 0, 0, //
                    2, DW_TAG_subprogram, 1, DW_AT_low_pc, DW_FORM_addrx,            //
                    DW_AT_high_pc, DW_FORM_data4, 0, 0,                              //
                    3, DW_TAG_subprogram, 1, DW_AT_ranges, DW_FORM_rnglistx, 0, 0,   //
                    4, DW_TAG_subprogram, 1, DW_AT_low_pc, DW_FORM_addr, 0, 0,       //
                    5, DW_TAG_subprogram, 1, DW_AT_low_pc, DW_FORM_addr,             //
                    DW_AT_high_pc, DW_FORM_implicit_const, 7, 0, 0, 0));
    cr_expect_eq(a.by_code.at[1].addresses, HP_ADDRESSES_PAIR);
    cr_expect(a.by_code.at[1].has_size);
    cr_expect_eq(steps_of(&a, 1)[0].action, HP_DIE_LOW);
    cr_expect_eq(steps_of(&a, 1)[1].action, HP_DIE_SIZE);
    cr_expect_eq(steps_of(&a, 1)[2].action, HP_DIE_SIBLING);
    cr_expect_eq(a.by_code.at[2].addresses, HP_ADDRESSES_INDEXED);
    cr_expect_eq(a.by_code.at[3].addresses, HP_ADDRESSES_LIST);
    cr_expect_eq(a.by_code.at[4].addresses, HP_ADDRESSES_NONE, "no end");
    cr_expect_eq(a.by_code.at[5].addresses, HP_ADDRESSES_FOREIGN, "a constant");
    hp_abbreviations_done(&a);
}

Test(abbreviations, the_first_of_an_attribute_counts) {
    struct hp_abbreviations a = {0};
    cr_assert(READS(&a, &usual, 1, DW_TAG_subprogram, 1, DW_AT_low_pc, DW_FORM_addr,
                    DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0, 0, 0));
    cr_expect_eq(steps_of(&a, 1)[1].skipped, 8);
    cr_expect_eq(steps_of(&a, 1)[1].action, HP_DIE_SIZE);
    hp_abbreviations_done(&a);
}

Test(abbreviations, what_is_not_known_is_left_to_libdw) {
    struct hp_abbreviations a = {0};
    cr_expect_not(
        READS(&a, &usual, 1, DW_TAG_member, 0, DW_AT_name, DW_FORM_indirect, 0, 0, 0));
    cr_expect_not(READS(&a, &usual, 1, DW_TAG_member, 0, DW_AT_name, 0x7e, 0, 0, 0));
    cr_expect_not(
        READS(&a, &usual, 1, DW_TAG_member, 0, DW_AT_sibling, DW_FORM_ref_addr, 0, 0, 0));
    cr_expect_not(READS(&a, &usual, 1, DW_TAG_member, 0, 0, 0, 1, DW_TAG_member, 0, 0, 0,
                        0),
                  "a code that comes twice");
    cr_expect_not(READS(&a, &usual, 0x80, 0x80, 4, DW_TAG_member, 0, 0, 0, 0),
                  "a large code");
    cr_expect_not(READS(&a, &usual, 1, 0, 0, 0, 0, 0), "no tag");
    hp_abbreviations_done(&a);
}

Test(abbreviations, a_table_that_is_cut_is_not_known) {
    static const unsigned char whole[] = {1,
                                          DW_TAG_subprogram,
                                          1,
                                          DW_AT_low_pc,
                                          DW_FORM_addr,
                                          DW_AT_name,
                                          DW_FORM_string,
                                          0,
                                          0,
                                          2,
                                          DW_TAG_member,
                                          0,
                                          DW_AT_const_value,
                                          DW_FORM_implicit_const,
                                          0x80,
                                          0x01,
                                          0,
                                          0,
                                          0};
    struct hp_abbreviations a = {0};
    for (size_t size = 0; size < sizeof whole; size++) {
        // Exact size, so that sanitizers notice reads beyond the end.
        char *exact = malloc(size + 1);
        memcpy(exact, whole, size);
        exact = realloc(exact, size ? size : 1);
        cr_expect_not(reads(&a, exact, size, &usual), "%zu bytes", size);
        free(exact);
    }
    cr_expect(reads(&a, whole, sizeof whole, &usual));
    cr_expect_eq(a.size, sizeof whole);
    hp_abbreviations_done(&a);
}

Test(abbreviations, no_more_is_read_than_is_asked_for) {
    static const char table[] = {1, DW_TAG_member,   0, 0,    0, //
                                 2, DW_TAG_variable, 0, 0,    0, //
                                 3, DW_TAG_member,   0, 0x7e, 0x7e, 0, 0, 0};
    struct hp_span section = {table, sizeof table};
    struct hp_abbreviations a = {0};
    hp_abbreviations_begin(&a, section, 0, &usual);
    cr_expect_eq(hp_abbreviations_reach(&a, 1)->tag, DW_TAG_member);
    cr_expect_eq(a.size, 5);
    cr_expect_eq(hp_abbreviations_reach(&a, 2)->tag, DW_TAG_variable);
    cr_expect_null(hp_abbreviations_reach(&a, 4), "behind one that is not known");
    cr_expect_eq(hp_abbreviations_reach(&a, 1)->tag, DW_TAG_member);
    cr_expect_not(hp_abbreviations_finish(&a));
    hp_abbreviations_begin(&a, section, sizeof table, &usual);
    cr_expect_not(hp_abbreviations_finish(&a), "behind the end");
    hp_abbreviations_done(&a);
}

Test(abbreviations, attributes_are_found_by_their_names) {
    struct hp_abbreviations a = {0};
    cr_assert(READS(&a, &usual, 1, DW_TAG_member, 0, DW_AT_name, DW_FORM_strp,
                    DW_AT_decl_line, DW_FORM_data2, 0, 0, 0));
    const struct hp_abbreviation *one = &a.by_code.at[1];
    cr_expect_eq(one->declared, 3);
    cr_expect(one->names & HP_NAME_BIT(DW_AT_name));
    cr_expect(one->names & HP_NAME_BIT(DW_AT_decl_line));
    cr_expect_not(one->names & HP_NAME_BIT(DW_AT_specification));
    hp_abbreviations_done(&a);
}

Test(abbreviations, values_are_passed_by_their_forms) {
    static const unsigned char bytes[] = {2, 7, 7, 0x80, 1, 'a', 0, 9, 9, 9, 9};
    struct hp_dwarf_bytes in = {.at = bytes, .end = bytes + sizeof bytes};
    cr_expect(hp_form_pass(&usual, DW_FORM_exprloc, &in));
    cr_expect_eq(in.at, bytes + 3);
    cr_expect(hp_form_pass(&usual, DW_FORM_udata, &in));
    cr_expect_eq(in.at, bytes + 5);
    cr_expect(hp_form_pass(&usual, DW_FORM_string, &in));
    cr_expect_eq(in.at, bytes + 7);
    cr_expect(hp_form_pass(&usual, DW_FORM_strp, &in));
    cr_expect_eq(in.at, bytes + 11);
    cr_expect(hp_form_pass(&usual, DW_FORM_flag_present, &in), "of no bytes");
    cr_expect_not(hp_form_pass(&usual, DW_FORM_indirect, &in));
    cr_expect_not(hp_form_pass(&usual, DW_FORM_data1, &in), "behind the end");
}
