// Tests of comparing a binary with the mappings of a dump, and of reading images.
#include "sym/verify.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

// A program as GNU ld lays it out: headers, text, constants, data.
static struct hp_image program(void) {
    static char path[] = "/bin/x";
    static const struct hp_load loads[] = {
        {0, 0x938, 0, false},
        {0x1000, 0x5e5, 0x1000, true},
        {0x2000, 0x29c, 0x2000, false},
        {0x2dd0, 0x2b0, 0x3dd0, false},
    };
    struct hp_image image = {.path = path, .program = true, .build_id = "00ff"};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        hp_vec_push(&image.loads, loads[i]);
    }
    return image;
}

static const struct {
    const char *what;
    struct hp_extent extent;
    uint64_t span;
    const char *build_id;
    bool good;
} cases[] = {
    {"its own rows", {0x1000, 0x1000, 0x1000, false}, 0x5000, "", true},
    {"no span known", {0x1000, 0x1000, 0x1000, false}, 0, "", true},
    {"text elsewhere", {0x2000, 0x1000, 0x2000, false}, 0x5000, "", false},
    {"more text", {0x1000, 0x2000, 0x1000, false}, 0x5000, "", false},
    {"more data", {0x1000, 0x1000, 0x1000, false}, 0x6000, "", false},
    {"part of the text", {0x1000, 0x800, 0x1000, false}, 0x5000, "", false},
    {"part of it, with a hole", {0x1000, 0x800, 0x1000, true}, 0x5000, "", true},
    {"a hole outside of it", {0x1000, 0x1001, 0x1000, true}, 0x5000, "", false},
    {"a hole that overflows", {0x1800, UINT64_MAX, 0x1800, true}, 0x5000, "", false},
    {"pages of 64 KiB", {0, 0x10000, 0, false}, 0x10000, "", true},
    {"its build id", {0x9000, 0x1000, 0x9000, false}, 1, "00ff", true},
    {"another build id", {0x1000, 0x1000, 0x1000, false}, 0x5000, "00fe", false},
};

Test(sym_verify, R23_takes_only_what_was_mapped) {
    struct hp_image image = program();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hp_sym_diagnostic diagnostic = {.text = ""};
        struct hp_request request = {.kind = HP_ADDRESS_OFFSET,
                                     .span = cases[i].span,
                                     .build_id = hp_span_of(cases[i].build_id)};
        hp_vec_push(&request.extents, cases[i].extent);
        cr_expect_eq(hp_verify(&image, &request, &diagnostic), cases[i].good, "%s",
                     cases[i].what);
        if (!cases[i].good) {
            cr_expect_eq(diagnostic.status, HP_SYM_OTHER_BUILD);
            cr_expect_not_null(strstr(diagnostic.text, "/bin/x"));
        }
        hp_vec_done(&request.extents);
    }
    hp_vec_done(&image.loads);
}

Test(sym_verify, takes_nothing_without_evidence) {
    struct hp_image image = program();
    struct hp_request request = {.span = 0x5000};
    struct hp_sym_diagnostic diagnostic;
    cr_expect_not(hp_verify(&image, &request, &diagnostic));
    hp_vec_done(&image.loads);
}

Test(sym_verify, takes_neighbours_that_were_joined) {
    struct hp_image image = program();
    struct hp_request request = {.span = 0};
    struct hp_extent joined = {0x1000, 0x2000, 0x1000, false};
    struct hp_sym_diagnostic diagnostic;
    image.loads.at[2].exec = true;
    hp_vec_push(&request.extents, joined);
    cr_expect(hp_verify(&image, &request, &diagnostic));
    hp_vec_done(&request.extents);
    hp_vec_done(&image.loads);
}

// A debug file as objcopy --only-keep-debug writes it: without offsets, with the sizes in
// memory.
static struct hp_image debug_file(void) {
    struct hp_image image = program();
    static const struct hp_load loads[] = {
        {0, 0x938, 0, false},         {0, 0x5e5, 0x201a90, true},
        {0, 0x29c, 0x303000, false},  {0, 0x2100, 0x405000, true},
        {0, 0x4000, 0x508dd0, false},
    };
    image.lacks_code = true;
    image.loads.count = 0;
    hp_vec_append(&image.loads, loads, sizeof loads / sizeof *loads);
    return image;
}

static const struct {
    const char *what;
    struct hp_extent extents[3];
    size_t count;
    uint64_t span;
    const char *build_id;
    bool good;
} placings[] = {
    {"both",
     {{0x1000, 0x2000, 0x1000, false}, {0x4000, 0x3000, 0x4000, false}},
     2,
     0x50a000,
     "",
     true},
    {"by id",
     {{0x1000, 0x2000, 0x1000, false}, {0x4000, 0x3000, 0x4000, false}},
     2,
     7,
     "00FF",
     true},
    {"another id",
     {{0x1000, 0x2000, 0x1000, false}, {0x4000, 0x3000, 0x4000, false}},
     2,
     0,
     "00",
     false},
    {"sizes of others",
     {{0x1000, 0x3000, 0x1000, false}, {0x4000, 0x2000, 0x4000, false}},
     2,
     0,
     "",
     false},
    {"one row", {{0x1000, 0x2000, 0x1000, false}}, 1, 0, "00ff", false},
    {"three rows",
     {{0x1000, 0x2000, 0x1000, false},
      {0x4000, 0x3000, 0x4000, false},
      {0x8000, 0x1000, 0x8000, false}},
     3,
     0,
     "",
     false},
    {"a hole",
     {{0x1000, 0x2000, 0x1000, true}, {0x4000, 0x3000, 0x4000, false}},
     2,
     0,
     "00ff",
     false},
    {"no rows", {{0, 0, 0, false}}, 0, 0, "00ff", false},
    {"too short",
     {{0x1000, 0x2000, 0x1000, false}, {0x4000, 0x3000, 0x4000, false}},
     2,
     0x508000,
     "",
     false},
    {"too long",
     {{0x1000, 0x2000, 0x1000, false}, {0x4000, 0x3000, 0x4000, false}},
     2,
     0x50e000,
     "",
     false},
};

Test(sym_verify, places_a_debug_file_where_its_code_was) {
    for (size_t i = 0; i < sizeof placings / sizeof *placings; i++) {
        struct hp_image image = debug_file();
        struct hp_sym_diagnostic diagnostic = {.text = ""};
        struct hp_request request = {.kind = HP_ADDRESS_OFFSET,
                                     .span = placings[i].span,
                                     .build_id = hp_span_of(placings[i].build_id)};
        uint64_t address = 0;
        hp_vec_append(&request.extents, placings[i].extents, placings[i].count);
        cr_expect_eq(hp_verify(&image, &request, &diagnostic), placings[i].good, "%s",
                     placings[i].what);
        cr_expect_eq(diagnostic.text[0] == '\0', placings[i].good, "%s",
                     placings[i].what);
        if (placings[i].good) {
            cr_expect(hp_image_find(&image, HP_ADDRESS_OFFSET, 0x1a94, &address));
            cr_expect_eq(address, 0x201a94);
            cr_expect(hp_image_find(&image, HP_ADDRESS_OFFSET, 0x4010, &address));
            cr_expect_eq(address, 0x405010);
            cr_expect_not(hp_image_find(&image, HP_ADDRESS_OFFSET, 0x10, &address));
        }
        hp_vec_done(&request.extents);
        hp_vec_done(&image.loads);
    }
}

// lld lays out a program so: the address of its text differs from its offset.
Test(sym_verify, compares_addresses_where_they_are_known) {
    struct hp_image image = program();
    struct hp_request request = {.kind = HP_ADDRESS_VIRTUAL, .span = 0};
    struct hp_extent text = {0x2000, 0x1000, 0x1000, false};
    struct hp_sym_diagnostic diagnostic;
    uint64_t found = 0;
    image.loads.at[1].vaddr = 0x2000;
    hp_vec_push(&request.extents, text);
    cr_expect(hp_verify(&image, &request, &diagnostic));
    cr_expect(hp_image_find(&image, request.kind, 0x2010, &found));
    cr_expect_eq(found, 0x2010);
    cr_expect(hp_image_return(&image, request.kind, 0x2010, &found));
    cr_expect_eq(found, 0x1010);
    cr_expect_not(hp_image_return(&image, request.kind, 0x1010, &found));
    request.extents.at[0].address = 0x1000;
    cr_expect_not(hp_verify(&image, &request, &diagnostic));
    hp_vec_done(&request.extents);
    hp_vec_done(&image.loads);
}

Test(sym_image, gives_the_address_of_an_offset) {
    struct hp_image image = program();
    uint64_t address = 0;
    cr_expect(hp_image_find(&image, HP_ADDRESS_OFFSET, 0x1234, &address));
    cr_expect_eq(address, 0x1234);
    cr_expect(hp_image_find(&image, HP_ADDRESS_OFFSET, 0x2e00, &address));
    cr_expect_eq(address, 0x3e00);
    image.loads.at[2].exec = true; // its last page is mapped, like that of the data
    image.loads.at[2].size = 0x1000;
    cr_expect(hp_image_find(&image, HP_ADDRESS_OFFSET, 0x2e00, &address));
    cr_expect_eq(address, 0x2e00);
    cr_expect_not(hp_image_find(&image, HP_ADDRESS_OFFSET, 0x9000, &address));
    hp_vec_done(&image.loads);
}

// KiB of a mapping that are in memory; `begin` is its address.
static unsigned long resident(const char *begin) {
    unsigned long kibibytes = 0, at = 0;
    bool is_there = false;
    char line[4096];
    FILE *file = fopen("/proc/self/smaps", "r");
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file)) {
        bool begins = sscanf(line, "%lx-", &at) == 1 && strchr(line, '-');
        is_there = begins ? at == (uintptr_t)begin : is_there;
        if (is_there) {
            sscanf(line, "Rss: %lu kB", &kibibytes);
        }
    }
    fclose(file);
    return kibibytes;
}

// A checksum of the bytes.
static unsigned long sum_of(const char *bytes, size_t size) {
    unsigned long sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum = sum * 31 + (unsigned char)bytes[i];
    }
    return sum;
}

Test(sym_image, what_was_read_leaves_memory_and_is_there_again) {
    struct hp_image image;
    struct hp_sym_diagnostic diagnostic;
    size_t size;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    cr_assert(hp_image_open(&image, fd, hp_span_of("this"), &diagnostic));
    const char *bytes = elf_rawfile(image.elf, &size);
    unsigned long sum = sum_of(bytes, size);
    cr_expect_geq(resident(bytes), size / 1024);
    hp_image_rest(&image);
    cr_expect_eq(resident(bytes), 0);
    cr_expect_eq(sum_of(bytes, size), sum);
    hp_image_done(&image);
}
