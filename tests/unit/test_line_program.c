// Tests of the reader of DWARF line tables: headers, programs, and skipped sequences.
#include "sym/line_program.h"

#include "base/md5.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

static struct hp_line_reader reader;

static void done(void) {
    hp_line_reader_done(&reader);
}

TestSuite(line_header, .fini = done);
TestSuite(line_program, .fini = done);

// Start a reader on a section; it will be asked for the lines of these addresses.
static void start(struct hp_span section, bool is_big_endian, const uint64_t *asked,
                  size_t count) {
    static const char folders[] = "/src/app\0/inc";
    hp_line_reader_done(&reader);
    reader = (struct hp_line_reader){
        .sections = {section, {folders, sizeof folders}, {"", 1}, is_big_endian}};
    hp_vec_append(&reader.asked, asked, count);
    hp_line_reader_start(&reader);
}

// --- headers ---------------------------------------------------------------------------

// A header as clang writes it: two directories, two files, and an empty program.
static const unsigned char plain[] = {
    78,
    0,
    0,
    0,
    5,
    0,
    8,
    0, // length, version, sizes of addresses and segment selectors
    67,
    0,
    0,
    0,
    1,
    1,
    1,
    0xfb,
    14,
    4,
    0,
    1,
    1, // header, up to the lengths of the opcodes
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
    0, //
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
    0,
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
    DW_LNE_end_sequence};

enum {
    DIRECTORIES = 21, // positions in `plain`: number of columns of directories
    DIRECTORY_FORM = 23,
    DIRECTORY_COUNT = 24,
    MD5_FORM = 39,
    FILE_COUNT = 40,
    FIRST_FOLDER = 43,
    FIRST_MD5 = 45,
};

// Number of files in a header; 0 if it is unknown.  The bytes are in memory of exactly
// their size, so that reads beyond the end are detected.
static size_t count_of(const unsigned char *bytes, size_t size, uint64_t offset) {
    char *copy = malloc(size);
    memcpy(copy, bytes, size);
    start((struct hp_span){copy, size}, false, NULL, 0);
    bool is_read = !hp_line_program_at(&reader, offset, 8)->is_unknown;
    free(copy);
    return is_read ? reader.header.files.count : 0;
}

// The same for `plain` with one byte changed.
static size_t count_with(size_t at, unsigned char value) {
    unsigned char changed[sizeof plain];
    memcpy(changed, plain, sizeof plain);
    changed[at] = value;
    return count_of(changed, sizeof changed, 0);
}

// Expect that the program at an offset has the files of `plain`.
static void expect_files(struct hp_span section, uint64_t offset, bool is_big_endian) {
    const struct hp_line_header *header = &reader.header;
    start(section, is_big_endian, NULL, 0);
    cr_assert_not(hp_line_program_at(&reader, offset, 8)->is_unknown);
    cr_assert_eq(header->files.count, 2);
    cr_expect_str_eq(header->files.at[0].name, "a");
    cr_assert_eq(header->folders.count, 2);
    cr_expect_str_eq(header->folders.at[header->files.at[0].folder], "/src/app");
    cr_expect_str_eq(header->folders.at[header->files.at[1].folder], "/inc");
    cr_expect_arr_eq(header->files.at[0].md5, "ABCDEFGHIJKLMNOP", HP_MD5_SIZE);
    cr_expect_arr_eq(header->files.at[1].md5, "abcdefghijklmnop", HP_MD5_SIZE);
}

Test(line_header, numbers_files_with_folder_and_digest) {
    expect_files((struct hp_span){(const char *)plain, sizeof plain}, 0, false);
}

Test(line_header, is_that_of_the_program_that_is_asked_for) {
    char two[2 * sizeof plain];
    memset(two, 0xff, sizeof plain);
    memcpy(two + sizeof plain, plain, sizeof plain);
    expect_files((struct hp_span){two, sizeof two}, sizeof plain, false);
    cr_expect_eq(count_of(plain, sizeof plain, sizeof plain), 0, "at the end");
    cr_expect_eq(count_of(plain, sizeof plain, UINT64_MAX), 0, "nowhere");
}

Test(line_header, of_64_bits_and_of_the_other_byte_order) {
    static const unsigned char head[] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 86,
                                         0,    5,    8,    0,    0, 0, 0, 0, 0, 0, 0, 72};
    unsigned char wide[sizeof head + sizeof plain];
    memcpy(wide, head, sizeof head);
    size_t size = sizeof head;
    for (size_t i = 12; i < sizeof plain; i++) {
        bool is_offset = i > DIRECTORY_COUNT && i <= DIRECTORY_COUNT + 8;
        if (is_offset && (i - DIRECTORY_COUNT) % 4 == 1) {
            memset(wide + size, 0, 7); // big-endian: the highest byte is first
            size += 7;
            wide[size++] = plain[i];
        } else if (!is_offset) {
            wide[size++] = plain[i];
        }
    }
    wide[11] = (unsigned char)(size - 12);
    wide[23] = (unsigned char)(size - 24 - 3);
    expect_files((struct hp_span){(const char *)wide, size}, 0, true);
}

Test(line_header, has_no_digests_where_the_header_has_none) {
    cr_expect_eq(count_with(MD5_FORM - 1, DW_LNCT_size), 2, "no column of MD5");
    unsigned char zeros[sizeof plain];
    memcpy(zeros, plain, sizeof plain);
    memset(zeros + FIRST_MD5, 0, HP_MD5_SIZE);
    start((struct hp_span){(const char *)zeros, sizeof zeros}, false, NULL, 0);
    hp_line_program_at(&reader, 0, 8);
    cr_assert_eq(reader.header.files.count, 2);
    cr_expect_null(reader.header.files.at[0].md5, "an assembler that was not told");
    cr_expect_not_null(reader.header.files.at[1].md5);
}

Test(line_header, is_unknown_where_it_contradicts_itself) {
    cr_expect_eq(count_with(4, 4), 0, "another version");
    cr_expect_eq(count_with(4, 6), 0, "a version that is not known");
    cr_expect_eq(count_with(6, 4), 0, "addresses of another size than the unit's");
    cr_expect_eq(count_with(7, 1), 0, "segments");
    cr_expect_eq(count_with(13, 2), 0, "several operations an instruction");
    cr_expect_eq(count_with(16, 0), 0, "no range of lines");
    cr_expect_eq(count_with(17, 0), 0, "no opcodes");
    cr_expect_eq(count_with(18, 1), 0, "a copy with an operand");
    cr_expect_eq(count_with(MD5_FORM, DW_FORM_udata), 0, "an MD5 of another form");
    cr_expect_eq(count_with(DIRECTORY_FORM, DW_FORM_flag_present), 0, "no bytes");
    cr_expect_eq(count_with(DIRECTORY_FORM, DW_FORM_strp_sup), 0, "not in this file");
    cr_expect_eq(count_with(DIRECTORY_FORM, 0), 0, "no form");
    cr_expect_eq(count_with(DIRECTORY_COUNT + 1, 14), 0, "behind the end of strings");
    cr_expect_eq(count_with(DIRECTORIES, 0), 0, "directories without parts");
    cr_expect_eq(count_with(FIRST_FOLDER + 1, 1), 0, "a directory that is not there");
    cr_expect_eq(count_with(FILE_COUNT, 1), 0, "fewer files than there is room for");
    cr_expect_eq(count_with(FILE_COUNT, 3), 0, "more files than there is room for");
    cr_expect_eq(count_with(FILE_COUNT, 0xff), 0, "a number of them that goes on");
    cr_expect_eq(count_with(8, 40), 0, "files behind the end of the header");
    cr_expect_eq(count_with(8, 71), 0, "a header behind the end of the unit");
    cr_expect_eq(count_with(0, 79), 0, "a unit behind the end of the section");
}

// Compilers may use any of these forms for further columns.
Test(line_header, of_files_whose_other_parts_are_of_any_form) {
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
        unsigned char bytes[80] = {0};
        size_t size = DIRECTORIES;
        memcpy(bytes, plain, size);
        const unsigned char format[] = {1,
                                        DW_LNCT_path,
                                        DW_FORM_string,
                                        1,
                                        'd',
                                        0, //
                                        4,
                                        DW_LNCT_path,
                                        DW_FORM_string,
                                        DW_LNCT_directory_index,
                                        DW_FORM_data1,
                                        0x20,
                                        forms[i].form,
                                        DW_LNCT_MD5,
                                        DW_FORM_data16,
                                        1, //
                                        'f',
                                        0,
                                        0};
        memcpy(bytes + size, format, sizeof format);
        memcpy(bytes + size + sizeof format, forms[i].bytes, forms[i].size);
        size += sizeof format + forms[i].size;
        memcpy(bytes + size, "0123456789abcdef", HP_MD5_SIZE);
        size += HP_MD5_SIZE;
        bytes[0] = (unsigned char)(size - 4);
        bytes[8] = (unsigned char)(size - 12);
        start((struct hp_span){(const char *)bytes, size}, false, NULL, 0);
        cr_expect(!hp_line_program_at(&reader, 0, 8)->is_unknown &&
                      reader.header.files.count == 1 &&
                      memcmp(reader.header.files.at[0].md5, "0123456789abcdef",
                             HP_MD5_SIZE) == 0,
                  "form %#x", forms[i].form);
    }
}

Test(line_header, of_a_section_cut_or_changed_anywhere_is_safe_to_read) {
    for (size_t size = 1; size < sizeof plain; size++) {
        cr_expect_eq(count_of(plain, size, 0), 0, "%zu", size);
    }
    for (size_t at = 0; at < sizeof plain; at++) {
        for (unsigned value = 0; value < 256; value++) {
            cr_expect_lt(count_with(at, (unsigned char)value), sizeof plain);
        }
    }
}

// --- programs --------------------------------------------------------------------------

// A section under construction.
static struct {
    unsigned char bytes[1000];
    size_t size;
} text;

static void put(const unsigned char *bytes, size_t size) {
    memcpy(text.bytes + text.size, bytes, size);
    text.size += size;
}

#define PUT(...) \
    put((const unsigned char[]){__VA_ARGS__}, sizeof((unsigned char[]){__VA_ARGS__}))

// Special opcodes add 0 to 17 to the address, and -5 to 8 to the line.
#define ROW(address, line) (unsigned char)(13 + (address)*14 + (line) + 5)
#define AT(address)                                                                    \
    0, 9, DW_LNE_set_address, (address)&255, (address) >> 8 & 255, (address) >> 16, 0, \
        0, 0, 0, 0
#define END 0, 1, DW_LNE_end_sequence

// Begin a table of DWARF 4 with one directory and two files.
static void begin(void) {
    text.size = 0;
    PUT(0, 0, 0, 0, 4, 0, 36, 0, 0, 0, 1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1,
        0, 0, 1, '/', 'd', 0, 0, 'a', 0, 0, 0, 0, 'b', 0, 1, 0, 0, 0);
    text.bytes[6] = (unsigned char)(text.size - 10);
}

// Complete the table, and run its program for these addresses.
static struct hp_line_program *run(const uint64_t *asked, size_t count) {
    text.bytes[0] = (unsigned char)(text.size - 4);
    text.bytes[1] = (unsigned char)((text.size - 4) >> 8);
    start((struct hp_span){(const char *)text.bytes, text.size}, false, asked, count);
    return hp_line_program_at(&reader, 0, 8);
}

#define RUN(...)                         \
    run((const uint64_t[]){__VA_ARGS__}, \
        sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

// The line of address number i; -1: none, -2: in doubt.
static int line_of(struct hp_line_program *program, uint32_t i) {
    struct hp_line_row row = {.line = 0};
    enum hp_line_answer answer = hp_line_find(&reader, program, i, &row);
    return answer == HP_LINE_NONE ? -1 : answer == HP_LINE_DOUBTED ? -2 : (int)row.line;
}

// Expect these lines for the addresses.
static void expect_lines(struct hp_line_program *program, const int *lines,
                         size_t count) {
    cr_assert_not(program->is_unknown);
    for (uint32_t i = 0; i < count; i++) {
        cr_expect_eq(line_of(program, i), lines[i], "address %u is of line %d, not %d", i,
                     line_of(program, i), lines[i]);
    }
}

#define EXPECT_LINES(program, ...)              \
    expect_lines(program, (int[]){__VA_ARGS__}, \
                 sizeof((int[]){__VA_ARGS__}) / sizeof(int))

Test(line_program, gives_an_address_the_row_before_it) {
    begin();
    PUT(AT(0x1000), ROW(0, 4), ROW(4, 1), ROW(0, 2), ROW(8, -3));
    PUT(DW_LNS_advance_pc, 4, END);
    EXPECT_LINES(RUN(0xfff, 0x1000, 0x1003, 0x1004, 0x100b, 0x100c, 0x100f, 0x1010), -1,
                 5, 5, 8, 8, 5, 5, -1);
}

Test(line_program, runs_every_standard_opcode) {
    begin();
    PUT(AT(0x1000), DW_LNS_set_file, 2, DW_LNS_set_column, 0x80, 1, DW_LNS_negate_stmt,
        DW_LNS_set_basic_block, DW_LNS_set_prologue_end, DW_LNS_set_epilogue_begin,
        DW_LNS_set_isa, 3, DW_LNS_advance_line, 0xe4, 0, DW_LNS_copy);
    PUT(DW_LNS_const_add_pc, DW_LNS_advance_line, 0x7f, DW_LNS_copy);
    PUT(DW_LNS_fixed_advance_pc, 0, 1, 0, 2, DW_LNE_set_discriminator, 7, DW_LNS_copy);
    PUT(DW_LNS_advance_pc, 0x80, 1, END);
    struct hp_line_program *program = RUN(0x1000, 0x1011, 0x1111, 0x1190, 0x1191);
    EXPECT_LINES(program, 101, 100, 100, 100, -1);
    struct hp_line_row row;
    cr_assert_eq(hp_line_find(&reader, program, 0, &row), HP_LINE_FOUND);
    cr_expect_eq(row.file, 2);
    cr_expect_str_eq(reader.header.files.at[2].name, "b");
    cr_expect_str_eq(reader.header.folders.at[reader.header.files.at[2].folder], "/d");
    cr_expect_null(reader.header.folders.at[reader.header.files.at[1].folder],
                   "the unit's own");
}

Test(line_program, of_neighbours_and_of_any_order_is_in_no_doubt) {
    begin();
    PUT(AT(0x2000), ROW(0, 1), ROW(8, 1), DW_LNS_advance_pc, 8, END);
    PUT(AT(0x1000), ROW(0, 5), DW_LNS_advance_pc, 0x10, END);
    PUT(AT(0x1010), ROW(0, 7), DW_LNS_advance_pc, 0x10, END);
    EXPECT_LINES(RUN(0x1000, 0x100f, 0x1010, 0x1020, 0x2000, 0x200f, 0x2010), 6, 6, 8, -1,
                 2, 3, -1);
}

Test(line_program, doubts_where_sequences_overlap) {
    begin();
    PUT(AT(0x1000), ROW(0, 1), ROW(0x10, 1), DW_LNS_advance_pc, 0x20, END);
    PUT(AT(0x1018), ROW(0, 5), DW_LNS_advance_pc, 4, END);
    EXPECT_LINES(RUN(0x1000, 0x1017, 0x1018, 0x101c, 0x102f), 2, 3, -2, -2, -2);
}

// The address after the last row is left to libdw, which assumes that the row goes on.
Test(line_program, doubts_what_follows_a_row_at_its_end) {
    begin();
    PUT(AT(0x1000), ROW(0, 1), ROW(8, 1), END);
    PUT(AT(0x2000), ROW(0, 1), DW_LNS_advance_pc, 8, END);
    EXPECT_LINES(RUN(0x1000, 0x1007, 0x1008, 0x1fff, 0x2000, 0x2008), 2, 2, -2, -2, 2,
                 -1);
}

// Linkers give functions that they remove the address 0 or the highest address, many
// times.
Test(line_program, is_in_no_doubt_for_functions_that_were_left_out) {
    begin();
    PUT(AT(0), ROW(0, 1), ROW(8, 1), AT(0), ROW(0, 3), ROW(4, 1), DW_LNS_advance_pc, 8,
        END);
    PUT(0, 9, DW_LNE_set_address, 255, 255, 255, 255, 255, 255, 255, 255, ROW(0, 1),
        ROW(8, 1), DW_LNS_advance_pc, 8, END);
    PUT(AT(0x1000), ROW(0, 1), ROW(8, 1), DW_LNS_advance_pc, 8, END);
    EXPECT_LINES(RUN(0x1000, 0x100f, 0x1010), 2, 3, -1);
}

static bool is_unknown(void) {
    return RUN(0x1000)->is_unknown;
}

Test(line_program, is_unknown_where_another_reader_may_know_more) {
    begin();
    PUT(AT(0x1000), ROW(0, 1));
    cr_expect(is_unknown(), "no end");
    PUT(DW_LNS_advance_pc, 1, END);
    cr_expect_not(is_unknown());
    PUT(0, 4, DW_LNE_define_file, 'c', 0, 0, 0, 0);
    cr_expect(is_unknown(), "a file of its own");
    begin();
    PUT(0, 5, DW_LNE_set_address, 0, 16, 0, 0);
    cr_expect(is_unknown(), "an address of another size");
    begin();
    PUT(0, 3, DW_LNE_set_discriminator, 1, DW_LNS_copy, END);
    cr_expect(is_unknown(), "a discriminator of another length");
    begin();
    PUT(0, 2, 0x90, 1, END);
    cr_expect(is_unknown(), "an opcode whose length libdw passes over");
    begin();
    PUT(0, 2, 0x92, 1, END);
    cr_expect_not(is_unknown(), "a vendor's opcode");
    begin();
    PUT(0, 0);
    cr_expect(is_unknown(), "an opcode of no bytes");
    begin();
    PUT(0, 0x20, 0x80);
    cr_expect(is_unknown(), "an opcode behind the end");
    begin();
    PUT(DW_LNS_advance_pc, 255, 255, 255, 255, 255, 1);
    cr_expect(is_unknown(), "an advance of more than 32 bits");
    begin();
    PUT(DW_LNS_set_column, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1);
    cr_expect(is_unknown(), "a number that goes on");
}

Test(line_program, is_run_once_and_no_more_than_the_section_is_worth) {
    begin();
    PUT(AT(0x1000), ROW(0, 1), DW_LNS_advance_pc, 8, END);
    struct hp_line_program *program = RUN(0x1000);
    uint64_t work = reader.work;
    for (int i = 0; i < 100; i++) {
        program = hp_line_program_at(&reader, 0, 8);
        cr_expect_eq(line_of(program, 0), 2);
    }
    cr_expect_eq(reader.work, work, "a program that units share");
    // There is a program at each byte of the section, each as long as the rest.
    static unsigned char many[1 << 16];
    for (size_t i = 0; i < sizeof many; i += 4) {
        memcpy(many + i, "\0\0\0", 4);
    }
    start((struct hp_span){(const char *)many, sizeof many}, false, NULL, 0);
    for (uint64_t i = 0; i + 64 < sizeof many; i += 64) {
        uint32_t length = (uint32_t)(sizeof many - i - 4);
        memcpy(many + i, text.bytes, text.size < 64 ? text.size : 64);
        memcpy(many + i, &length, 4);
    }
    bool is_over = false;
    for (uint64_t i = 0; i + 64 < sizeof many; i += 64) {
        is_over |= hp_line_program_at(&reader, i, 8)->is_over;
    }
    cr_expect(is_over);
    cr_expect_leq(reader.work, 4 * sizeof many);
    cr_expect_eq(hp_line_program_at(&reader, sizeof many / 2 + 64, 8)->size, 0,
                 "no header is read then");
}

// --- sequences that are not needed -----------------------------------------------------

// Begin a table with functions at 0x1000 and 0x2000; only the second is asked for.  The
// test adds bytes to the first.
static void begin_passed(void) {
    begin();
    PUT(AT(0x1000), ROW(0, 4));
}

// Add the second function and run the program.  `is_sure`: sequences may be skipped
// without a check.
static struct hp_line_program *run_second(bool is_sure) {
    PUT(AT(0x2000), ROW(0, 6), DW_LNS_advance_pc, 8, END);
    text.bytes[0] = (unsigned char)(text.size - 4);
    text.bytes[1] = (unsigned char)((text.size - 4) >> 8);
    static const uint64_t asked[] = {0x1000, 0x2000, 0x2007, 0x2008};
    start((struct hp_span){(const char *)text.bytes, text.size}, false, asked, 4);
    hp_line_want(&reader, 0x1ff0, 0x2000);
    hp_line_want(&reader, 0x1ff0, 0x2007);
    reader.is_sure = is_sure;
    return hp_line_program_at(&reader, 0, 8);
}

// Operands that look like the end of a sequence.
Test(line_program, passes_over_sequences_that_begin_elsewhere) {
    static const struct {
        const char *what;
        unsigned char size, bytes[12];
    } ends[] = {
        {"nothing", 0, {0}},
        {"a column", 4, {DW_LNS_set_column, 0, DW_LNS_copy, DW_LNS_copy}},
        {"an operand like an opcode",
         4,
         {DW_LNS_set_column, DW_LNS_advance_line, 0x70, 0x70}},
        {"an operand like one with an operand",
         2,
         {DW_LNS_advance_pc, DW_LNS_set_column}},
        {"a long operand", 5, {DW_LNS_set_column, 0x80, 0, DW_LNS_copy, DW_LNS_copy}},
        {"a longer one", 6, {DW_LNS_set_file, 0x80, 0x80, 0, DW_LNS_copy, DW_LNS_copy}},
        {"half a number", 5, {DW_LNS_fixed_advance_pc, 0, 1, 1, DW_LNS_copy}},
        {"the other half", 5, {DW_LNS_fixed_advance_pc, 20, 0, 1, DW_LNS_copy}},
        {"half a number like its opcode", 4, {DW_LNS_fixed_advance_pc, 9, 0, 1}},
        {"special opcodes of 128 and more", 3, {0x85, 0xff, 0x80}},
        {"a discriminator",
         8,
         {0, 2, DW_LNE_set_discriminator, 0, 1, 1, DW_LNS_set_isa, 0}},
        {"a vendor's opcode", 8, {0, 6, 0x92, 0, 1, 1, 0, 9}},
    };

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        begin_passed();
        put(ends[i].bytes, ends[i].size);
        PUT(DW_LNS_advance_pc, 8, END);
        struct hp_line_program *program = run_second(false);
        cr_expect(program->is_partial && program->count == 2, "%s", ends[i].what);
        cr_expect_eq(line_of(program, 1), 7);
        cr_expect(program->is_partial, "%s: what was asked for is there", ends[i].what);
        cr_expect_eq(line_of(program, 0), 5, "%s: run whole", ends[i].what);
        cr_expect_not(program->is_partial);
        EXPECT_LINES(program, 5, 7, 7, -1);
    }
}

Test(line_program, passes_over_them_for_good_if_that_is_sure) {
    begin_passed();
    PUT(DW_LNS_advance_pc, 8, END);
    EXPECT_LINES(run_second(true), -1, 7, 7, -1);
}

// The end of these sequences is unknown, or they may describe several places.
Test(line_program, runs_a_sequence_that_is_not_plain) {
    static const struct {
        const char *what;
        unsigned char size, bytes[24];
    } kinds[] = {
        {"goes on elsewhere", 14, {AT(0x2000), ROW(0, 4), DW_LNS_advance_pc, 8}},
        {"a file of its own", 7, {0, 5, DW_LNE_define_file, 0, 0, 0, 0}},
        {"an opcode whose length libdw passes over", 4, {0, 2, 0x90, 1}},
        {"an end of another length", 4, {0, 2, DW_LNE_end_sequence, 0}},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        begin_passed();
        put(kinds[i].bytes, kinds[i].size);
        PUT(END);
        struct hp_line_program *program = run_second(false);
        cr_expect(!program->is_partial && program->is_unknown == (i > 0), "%s",
                  kinds[i].what);
    }
    begin();
    PUT(DW_LNS_set_file, 2);
    struct hp_line_program *program = run_second(false);
    cr_expect_not(program->is_partial, "no sequence is before it");
}

// A program with skipped sequences must not find a row that the whole program does not
// have.
Test(line_program, finds_no_other_rows_for_what_it_passes_over) {
    begin_passed();
    PUT(DW_LNS_set_column, 0, DW_LNS_copy, DW_LNS_fixed_advance_pc, 0, 1, DW_LNS_copy, 0,
        2, DW_LNE_set_discriminator, 7, DW_LNS_advance_pc, 8, END);
    size_t size = text.size;
    for (size_t at = size - 30; at < size; at++) {
        for (unsigned value = 0; value < 256; value++) {
            unsigned char was = text.bytes[at];
            text.bytes[at] = (unsigned char)value;
            struct hp_line_program *program = run_second(false);
            int some[4], whole[4];
            for (uint32_t i = 1; i < 4; i++) {
                some[i] = program->is_unknown ? -2 : line_of(program, i);
            }
            program = RUN(0x1000, 0x2000, 0x2007, 0x2008);
            for (uint32_t i = 1; i < 4; i++) {
                whole[i] = program->is_unknown ? -2 : line_of(program, i);
                cr_expect(whole[i] == -2 || some[i] == whole[i],
                          "byte %zu is %#x: %d, %d", at, value, some[i], whole[i]);
            }
            text.bytes[at] = was;
            text.size = size;
        }
    }
}

// A sequence of 26 bytes that covers all addresses makes a row for each of them.
Test(line_program, makes_no_more_rows_than_the_addresses_are_worth) {
    static unsigned char many[1 << 14];
    static uint64_t asked[1 << 12];
    for (size_t i = 0; i < 1 << 12; i++) {
        asked[i] = 0x1000 + i;
    }
    begin();
    memcpy(many, text.bytes, text.size);
    size_t size = text.size;
    text.size = 0;
    PUT(AT(0x1000), ROW(0, 1), AT(0x2000), END);
    for (; size + text.size <= sizeof many; size += text.size) {
        memcpy(many + size, text.bytes, text.size);
    }
    many[0] = (unsigned char)(size - 4);
    many[1] = (unsigned char)((size - 4) >> 8);
    start((struct hp_span){(const char *)many, size}, false, asked, 1 << 12);
    cr_expect(hp_line_program_at(&reader, 0, 8)->is_over);
    cr_expect_leq(reader.work, 4 * size + 64 * (1 << 12));
    cr_expect_eq(reader.rows.count, 0);
}

Test(line_program, cut_or_changed_anywhere_is_safe_to_run) {
    begin();
    PUT(AT(0x1000), ROW(0, 4), ROW(4, 1), DW_LNS_set_file, 2, ROW(8, -3));
    PUT(DW_LNS_advance_pc, 4, END);
    uint64_t asked[] = {0, 0x1000, 0x1004, 0x1010, UINT64_MAX};
    for (size_t at = 0; at < text.size; at++) {
        for (unsigned value = 0; value < 256; value++) {
            char *copy = malloc(text.size);
            memcpy(copy, text.bytes, text.size);
            copy[0] = (char)(text.size - 4);
            copy[at] = (char)value;
            start((struct hp_span){copy, text.size}, false, asked, 5);
            struct hp_line_program *program = hp_line_program_at(&reader, 0, 8);
            for (uint32_t i = 0; i < 5; i++) {
                cr_expect_geq(line_of(program, i), -2);
            }
            free(copy);
        }
    }
}
