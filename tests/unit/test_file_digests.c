#include "sym/file_digests.h"

#include "base/md5.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

// A .debug_line as clang writes it: two directories, two files, and some of the program.
static const unsigned char plain[] = {
    78,
    0,
    0,
    0, // of all that follows
    5,
    0,
    8,
    0, // version, sizes of an address and of a segment selector
    67,
    0,
    0,
    0, // of the header
    1,
    1,
    1,
    0xfb,
    14,
    4,
    0,
    1,
    1, // up to the lengths of opcodes
    1,
    DW_LNCT_path,
    DW_FORM_line_strp,
    2,
    0,
    0,
    0,
    0,
    9,
    0,
    0,
    0,
    3,
    DW_LNCT_path,
    DW_FORM_string,
    DW_LNCT_directory_index,
    DW_FORM_udata,
    DW_LNCT_MD5,
    DW_FORM_data16,
    2,
    'a',
    0,
    0x80,
    1,
    'A',
    'B',
    'C',
    'D',
    'E',
    'F',
    'G',
    'H',
    'I',
    'J',
    'K',
    'L',
    'M',
    'N',
    'O',
    'P',
    0,
    1,
    'a',
    'b',
    'c',
    'd',
    'e',
    'f',
    'g',
    'h',
    'i',
    'j',
    'k',
    'l',
    'm',
    'n',
    'o',
    'p',
    0,
    1,
    1, // the program: its end
};

enum {
    DIRECTORIES = 21, // where how many parts each has is told
    DIRECTORY_FORM = 23,
    DIRECTORY_COUNT = 24,
    FILES = 33,
    MD5_FORM = 39,
    FILE_COUNT = 40,
    FIRST_MD5 = 45,
};

static struct hp_file_digests digests;

static void done(void) {
    hp_vec_done(&digests.of);
}

TestSuite(file_digests, .fini = done);

// In memory of just that size, so that a read behind the end shows.
static size_t count_of(const unsigned char *bytes, size_t size, uint64_t offset) {
    char *copy = malloc(size);
    memcpy(copy, bytes, size);
    hp_file_digests_read(&digests,
                         &(struct hp_line_program){{copy, size}, offset, false});
    free(copy);
    return digests.of.count;
}

// Of the plain one with some byte changed.
static size_t count_with(size_t at, unsigned char value) {
    unsigned char changed[sizeof plain];
    memcpy(changed, plain, sizeof plain);
    changed[at] = value;
    return count_of(changed, sizeof changed, 0);
}

static void expect_digests(struct hp_span section, uint64_t offset, bool is_big_endian) {
    struct hp_line_program program = {section, offset, is_big_endian};
    cr_expect_gt(hp_file_digests_read(&digests, &program), 60);
    cr_assert_eq(digests.of.count, 2);
    cr_expect_arr_eq(hp_file_digest(&digests, 0), "ABCDEFGHIJKLMNOP", HP_MD5_SIZE);
    cr_expect_arr_eq(hp_file_digest(&digests, 1), "abcdefghijklmnop", HP_MD5_SIZE);
    cr_expect_null(hp_file_digest(&digests, 2));
}

Test(file_digests, are_those_of_the_files_by_number) {
    expect_digests((struct hp_span){(const char *)plain, sizeof plain}, 0, false);
}

Test(file_digests, of_the_program_that_is_asked_for) {
    char two[2 * sizeof plain];
    memset(two, 0xff, sizeof plain);
    memcpy(two + sizeof plain, plain, sizeof plain);
    expect_digests((struct hp_span){two, sizeof two}, sizeof plain, false);
    cr_expect_eq(count_of(plain, sizeof plain, sizeof plain), 0, "at the end");
    cr_expect_eq(count_of(plain, sizeof plain, UINT64_MAX), 0, "nowhere");
}

Test(file_digests, of_64_bits_and_of_the_other_byte_order) {
    static const unsigned char head[] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 86,
                                         0,    5,    8,    0,    0, 0, 0, 0, 0, 0, 0, 72};
    unsigned char wide[sizeof head + sizeof plain];
    memcpy(wide, head, sizeof head);
    size_t size = sizeof head;
    for (size_t i = 12; i < sizeof plain; i++) {
        wide[size++] = plain[i];
        if (i == DIRECTORY_COUNT + 4 || i == DIRECTORY_COUNT + 8) { // an offset's end
            memset(wide + size, 0, 4);
            size += 4;
        }
    }
    wide[11] = (unsigned char)(size - 12);
    wide[23] = (unsigned char)(size - 24);
    expect_digests((struct hp_span){(const char *)wide, size}, 0, true);
}

Test(file_digests, are_none_where_none_are_told) {
    cr_expect_eq(count_with(4, 4), 0, "another version");
    cr_expect_eq(count_with(4, 6), 0, "a version that is not known");
    cr_expect_eq(count_with(MD5_FORM - 1, DW_LNCT_size), 0, "no column of MD5");
    unsigned char zeros[sizeof plain];
    memcpy(zeros, plain, sizeof plain);
    memset(zeros + FIRST_MD5, 0, HP_MD5_SIZE);
    struct hp_line_program program = {{(const char *)zeros, sizeof zeros}, 0, false};
    hp_file_digests_read(&digests, &program);
    cr_expect_null(hp_file_digest(&digests, 0), "an assembler that was not told");
    cr_expect_not_null(hp_file_digest(&digests, 1));
}

Test(file_digests, are_none_where_the_header_is_damaged) {
    cr_expect_eq(count_with(MD5_FORM, DW_FORM_udata), 0, "an MD5 of another form");
    cr_expect_eq(count_with(DIRECTORY_FORM, DW_FORM_flag_present), 0, "no bytes");
    cr_expect_eq(count_with(DIRECTORY_FORM, 0), 0, "no form");
    cr_expect_eq(count_with(DIRECTORIES, 0), 0, "directories without parts");
    cr_expect_eq(count_with(FILE_COUNT, 3), 0, "more files than there is room for");
    cr_expect_eq(count_with(FILE_COUNT, 0xff), 0, "a number of them that goes on");
    cr_expect_eq(count_with(8, 40), 0, "files behind the end of the header");
    cr_expect_eq(count_with(8, 71), 0, "a header behind the end of the unit");
    cr_expect_eq(count_with(0, 79), 0, "a unit behind the end of the section");
}

// Forms that compilers may use for what stands beside.
Test(file_digests, of_files_whose_other_parts_are_of_any_form) {
    static const struct {
        unsigned char form, size, bytes[6];
    } forms[] = {
        {DW_FORM_string, 2, {'x', 0}},    {DW_FORM_line_strp, 4, {1}},
        {DW_FORM_strp, 4, {1}},           {DW_FORM_udata, 2, {0x80, 1}},
        {DW_FORM_block, 3, {2, 0, 0}},    {DW_FORM_block1, 3, {2, 0, 0}},
        {DW_FORM_block2, 4, {2, 0, 0}},   {DW_FORM_block4, 6, {2, 0, 0}},
        {DW_FORM_data1, 1, {9}},          {DW_FORM_data2, 2, {9}},
        {DW_FORM_data4, 4, {9}},          {DW_FORM_strx, 2, {0x80, 1}},
        {DW_FORM_strx1, 1, {9}},          {DW_FORM_strx2, 2, {9}},
        {DW_FORM_strx3, 3, {9}},          {DW_FORM_strx4, 4, {9}},
        {DW_FORM_sdata, 2, {0xff, 0x7f}},
    };

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        unsigned char bytes[64] = {0};
        size_t size = DIRECTORIES;
        memcpy(bytes, plain, size);
        bytes[size++] = 0; // no directories
        bytes[size++] = 0;
        const unsigned char format[] = {2,           0x20,           forms[i].form,
                                        DW_LNCT_MD5, DW_FORM_data16, 1};
        memcpy(bytes + size, format, sizeof format);
        memcpy(bytes + size + sizeof format, forms[i].bytes, forms[i].size);
        size += sizeof format + forms[i].size;
        memcpy(bytes + size, "0123456789abcdef", HP_MD5_SIZE);
        size += HP_MD5_SIZE;
        bytes[0] = (unsigned char)(size - 4);
        bytes[8] = (unsigned char)(size - 12);
        hp_file_digests_read(
            &digests, &(struct hp_line_program){{(const char *)bytes, size}, 0, false});
        cr_expect(digests.of.count == 1 &&
                      memcmp(digests.of.at[0], "0123456789abcdef", HP_MD5_SIZE) == 0,
                  "form %#x", forms[i].form);
    }
}

Test(file_digests, of_a_section_cut_or_changed_anywhere_are_safe_to_read) {
    for (size_t size = 1; size < sizeof plain; size++) {
        cr_expect_eq(count_of(plain, size, 0), 0, "%zu", size);
    }
    for (size_t at = 0; at < sizeof plain; at++) {
        for (unsigned value = 0; value < 256; value++) {
            cr_expect_leq(count_with(at, (unsigned char)value),
                          sizeof plain / HP_MD5_SIZE);
        }
    }
}
