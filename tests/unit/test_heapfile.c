#include "sampler/core/heapfile.h"
#include "sampler/core/usize.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct hp_textfile file;

// The text of a dump, in static memory.
static const char *text_of(const struct hp_ledger *ledger,
                           struct hp_heapfile_options options) {
    static char text[4096];
    int fd = memfd_create("dump", MFD_CLOEXEC);
    hp_textfile_init(&file, fd);
    cr_assert_eq(hp_heapfile_write(&file, ledger, options), 0);
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    cr_assert_geq(n, 0);
    text[n] = '\0';
    close(fd);
    return text;
}

static const uintptr_t first[] = {0x7f0000002030, 0x550000001000},
                       second[] = {0x7f0000001040, 0x550000001000};

// Three objects of two stacks and two threads; one of them is freed.
static void fill(struct hp_ledger *ledger) {
    hp_ledger_init(ledger, 4096);
    struct hp_ledger_thread *main_thread = hp_ledger_new_thread(ledger, "");
    struct hp_ledger_thread *worker = hp_ledger_new_thread(ledger, "worker 1");
    hp_ledger_add(ledger, hp_ledger_line(ledger, worker, second, 2), 16);
    hp_ledger_add(ledger, hp_ledger_line(ledger, main_thread, first, 2), 4096);
    struct hp_ledger_line *line = hp_ledger_line(ledger, main_thread, second, 2);
    hp_ledger_add(ledger, line, 8192);
    hp_ledger_remove(ledger, line, 8192);
}

Test(heapfile, has_stacks_in_the_order_of_their_bytes_and_threads_by_number) {
    struct hp_ledger ledger;
    fill(&ledger);
    // 30 comes before 40: addresses are compared from their lowest byte.
    cr_expect_str_eq(text_of(&ledger, (struct hp_heapfile_options){.accum = true}),
                     "heap_v2/4096\n"
                     "  t*: 2: 4112 [3: 12304]\n"
                     "  t0: 1: 4096 [2: 12288]\n"
                     "  t1: 1: 16 [1: 16] worker 1\n"
                     "@ 0x7f0000002030 0x550000001000\n"
                     "  t*: 1: 4096 [1: 4096]\n"
                     "  t0: 1: 4096 [1: 4096]\n"
                     "@ 0x7f0000001040 0x550000001000\n"
                     "  t*: 1: 16 [2: 8208]\n"
                     "  t0: 0: 0 [1: 8192]\n"
                     "  t1: 1: 16 [1: 16]\n");
    hp_ledger_done(&ledger);
}

Test(heapfile, without_accum_is_silent_about_what_was_freed) {
    struct hp_ledger ledger;
    fill(&ledger);
    const char *text = text_of(&ledger, (struct hp_heapfile_options){0});
    cr_expect_null(strstr(text, "8192"));
    cr_expect_not_null(strstr(text, "  t*: 1: 16 [0: 0]\n  t1: 1: 16 [0: 0]\n"));
    hp_ledger_done(&ledger);
}

// jemalloc 5.3 prints these for one object of 81,920 bytes and 14 of 16 at a period of
// 524,288.
Test(heapfile, rewrites_numbers_as_jemalloc_does) {
    struct hp_ledger ledger;
    hp_ledger_init(&ledger, 524288);
    struct hp_ledger_thread *thread = hp_ledger_new_thread(&ledger, "");
    hp_ledger_add(&ledger, hp_ledger_line(&ledger, thread, first, 2), 81920);
    for (int i = 0; i < 14; i++) {
        hp_ledger_add(&ledger, hp_ledger_line(&ledger, thread, second, 2), 16);
    }
    const char *text = text_of(&ledger, (struct hp_heapfile_options){.unbias = true});
    cr_expect_not_null(strstr(text, "  t*: 1: 82338 [0: 0]\n"), "%s", text);
    cr_expect_not_null(strstr(text, "  t*: 14: 224 [0: 0]\n"), "%s", text);
    hp_ledger_done(&ledger);
}

// The count follows from the bytes, not from the estimated objects, where halves are rounded.
Test(heapfile, rewrites_counts_that_lie_halfway_as_jemalloc_does) {
    struct hp_ledger ledger;
    hp_ledger_init(&ledger, 64);
    struct hp_ledger_thread *thread = hp_ledger_new_thread(&ledger, "");
    for (int i = 0; i < 11; i++) {
        hp_ledger_add(&ledger, hp_ledger_line(&ledger, thread, first, 2),
                      i < 7 ? 16384 : 64);
    }
    const char *text = text_of(&ledger, (struct hp_heapfile_options){.unbias = true});
    cr_expect_not_null(strstr(text, "  t*: 13: 115092 [0: 0]\n"), "%s", text);
    hp_ledger_done(&ledger);
}

Test(heapfile, sorts_many_stacks_and_keeps_each) {
    struct hp_ledger ledger;
    hp_ledger_init(&ledger, 1);
    struct hp_ledger_thread *thread = hp_ledger_new_thread(&ledger, "");
    for (uintptr_t i = 0; i < 5000; i++) {
        uintptr_t frame = (i * 7919) % 5000 << 44; // the last of the bytes compared
        hp_ledger_add(&ledger, hp_ledger_line(&ledger, thread, &frame, 1), 8);
    }
    FILE *text = tmpfile();
    hp_textfile_init(&file, fileno(text));
    cr_assert_eq(hp_heapfile_write(&file, &ledger, (struct hp_heapfile_options){0}), 0);
    rewind(text);
    char row[256];
    unsigned long long expected = 0, frame;
    unsigned char last[8] = {0};
    while (fgets(row, sizeof row, text)) {
        if (sscanf(row, "@ 0x%llx", &frame) == 1) {
            cr_assert(expected == 0 || memcmp(last, &frame, 8) < 0);
            memcpy(last, &frame, 8);
            expected++;
        }
    }
    cr_expect_eq(expected, 5000);
    fclose(text);
    hp_ledger_done(&ledger);
}

Test(heapfile, tells_of_a_full_disk) {
    struct hp_ledger ledger;
    fill(&ledger);
    FILE *full = fopen("/dev/full", "w");
    hp_textfile_init(&file, fileno(full));
    cr_expect_neq(hp_heapfile_write(&file, &ledger, (struct hp_heapfile_options){0}), 0);
    fclose(full);
    hp_ledger_done(&ledger);
}

Test(usize, is_the_smallest_class_that_holds_the_request) {
    static const uint64_t rows[][2] = {
        {0, 8},       {1, 8},         {8, 8},         {9, 16},
        {16, 16},     {17, 32},       {33, 48},       {64, 64},
        {65, 80},     {128, 128},     {129, 160},     {160, 160},
        {161, 192},   {256, 256},     {257, 320},     {4095, 4096},
        {4097, 5120}, {14336, 14336}, {14337, 16384}, {(1 << 20) + 1, 5 << 18},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(hp_usize(rows[i][0]), rows[i][1], "%d", (int)rows[i][0]);
    }
    cr_expect_eq(hp_usize_aligned(17, 64), 64);
    cr_expect_eq(hp_usize_aligned(100, 32), 128);
}
