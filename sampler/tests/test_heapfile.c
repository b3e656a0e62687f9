// Tests of the dumps that the sampler writes, and of jemalloc's size classes.
#include "core/heapfile.h"
#include "core/usize.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct hps_textfile file;

// The text of a dump; valid until the next call.
static const char *text_of(const struct hps_ledger *ledger,
                           struct hps_heapfile_options options) {
    static char text[4096];
    int fd = memfd_create("dump", MFD_CLOEXEC);
    hps_textfile_init(&file, fd);
    cr_assert_eq(hps_heapfile_write(&file, ledger, options), 0);
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    cr_assert_geq(n, 0);
    text[n] = '\0';
    close(fd);
    return text;
}

static const uintptr_t first[] = {0x7f0000002030, 0x550000001000},
                       second[] = {0x7f0000001040, 0x550000001000};

// Fill a ledger with three objects of two stacks and two threads; one of them is freed.
static void fill(struct hps_ledger *ledger) {
    hps_ledger_init(ledger, 4096);
    struct hps_ledger_thread *main_thread = hps_ledger_new_thread(ledger, "");
    struct hps_ledger_thread *worker = hps_ledger_new_thread(ledger, "worker 1");
    hps_ledger_add(ledger, hps_ledger_line(ledger, worker, second, 2), 16);
    hps_ledger_add(ledger, hps_ledger_line(ledger, main_thread, first, 2), 4096);
    struct hps_ledger_line *line = hps_ledger_line(ledger, main_thread, second, 2);
    hps_ledger_add(ledger, line, 8192);
    hps_ledger_remove(ledger, line, 8192);
}

Test(heapfile, has_stacks_in_the_order_of_their_bytes_and_threads_by_number) {
    struct hps_ledger ledger;
    fill(&ledger);
    // 30 precedes 40, since addresses are compared from their lowest byte on.
    cr_expect_str_eq(text_of(&ledger, (struct hps_heapfile_options){.accum = true}),
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
    hps_ledger_done(&ledger);
}

Test(heapfile, without_accum_is_silent_about_what_was_freed) {
    struct hps_ledger ledger;
    fill(&ledger);
    const char *text = text_of(&ledger, (struct hps_heapfile_options){0});
    cr_expect_null(strstr(text, "8192"));
    cr_expect_not_null(strstr(text, "  t*: 1: 16 [0: 0]\n  t1: 1: 16 [0: 0]\n"));
    hps_ledger_done(&ledger);
}

// The expected numbers are those of jemalloc 5.3 for one object of 81,920 bytes and 14 of
// 16 bytes with a period of 524,288.
Test(heapfile, rewrites_numbers_as_jemalloc_does) {
    struct hps_ledger ledger;
    hps_ledger_init(&ledger, 524288);
    struct hps_ledger_thread *thread = hps_ledger_new_thread(&ledger, "");
    hps_ledger_add(&ledger, hps_ledger_line(&ledger, thread, first, 2), 81920);
    for (int i = 0; i < 14; i++) {
        hps_ledger_add(&ledger, hps_ledger_line(&ledger, thread, second, 2), 16);
    }
    const char *text = text_of(&ledger, (struct hps_heapfile_options){.unbias = true});
    cr_expect_not_null(strstr(text, "  t*: 1: 82338 [0: 0]\n"), "%s", text);
    cr_expect_not_null(strstr(text, "  t*: 14: 224 [0: 0]\n"), "%s", text);
    hps_ledger_done(&ledger);
}

// The count has to follow from the bytes, not from the estimated objects: this matters if
// halves are rounded.
Test(heapfile, rewrites_counts_that_lie_halfway_as_jemalloc_does) {
    struct hps_ledger ledger;
    hps_ledger_init(&ledger, 64);
    struct hps_ledger_thread *thread = hps_ledger_new_thread(&ledger, "");
    for (int i = 0; i < 11; i++) {
        hps_ledger_add(&ledger, hps_ledger_line(&ledger, thread, first, 2),
                       i < 7 ? 16384 : 64);
    }
    const char *text = text_of(&ledger, (struct hps_heapfile_options){.unbias = true});
    cr_expect_not_null(strstr(text, "  t*: 13: 115092 [0: 0]\n"), "%s", text);
    hps_ledger_done(&ledger);
}

Test(heapfile, sorts_many_stacks_and_keeps_each) {
    struct hps_ledger ledger;
    hps_ledger_init(&ledger, 1);
    struct hps_ledger_thread *thread = hps_ledger_new_thread(&ledger, "");
    for (uintptr_t i = 0; i < 5000; i++) {
        uintptr_t frame = (i * 7919) % 5000 << 44; // in the byte that is compared last
        hps_ledger_add(&ledger, hps_ledger_line(&ledger, thread, &frame, 1), 8);
    }
    FILE *text = tmpfile();
    hps_textfile_init(&file, fileno(text));
    cr_assert_eq(hps_heapfile_write(&file, &ledger, (struct hps_heapfile_options){0}), 0);
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
    hps_ledger_done(&ledger);
}

Test(heapfile, reports_a_full_disk) {
    struct hps_ledger ledger;
    fill(&ledger);
    FILE *full = fopen("/dev/full", "w");
    hps_textfile_init(&file, fileno(full));
    cr_expect_neq(hps_heapfile_write(&file, &ledger, (struct hps_heapfile_options){0}),
                  0);
    fclose(full);
    hps_ledger_done(&ledger);
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
        cr_expect_eq(hps_usize(rows[i][0]), rows[i][1], "%d", (int)rows[i][0]);
    }
    cr_expect_eq(hps_usize_aligned(17, 64), 64);
    cr_expect_eq(hps_usize_aligned(100, 32), 128);
}
