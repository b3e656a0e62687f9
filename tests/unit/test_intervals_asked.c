// Tests that reports compute no more intervals than they show, since an interval costs
// more than its sum.  To count them, the file that computes intervals is included here,
// so that the linker ignores the library's.
#define hp_interval_of        real_interval_of
#define hp_interval_of_chosen real_interval_of_chosen
#include "stats/measure.c"
#undef hp_interval_of
#undef hp_interval_of_chosen

#include "hprof-agg/hprof-agg.h"
#include "view/top.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    STACKS = 1000,
    SHOWN = 50,
    OF_NOTHING = HP_METRICS, // shared by rows without any amount
    // Bytes and objects, in use and allocated; the part that filters leave; and the total
    // again, with the amount that an unsampled stack may hold; and those of the first rows,
    // which the headline compares with the first and the second one.
    IN_HEAD = 4 + 1 + 1 + 2 * HP_LEAST_NEEDED,
};

// Number of intervals computed so far.
static size_t asked;

struct hp_interval hp_interval_of(struct hp_measure measure, double confidence);

struct hp_interval hp_interval_of(struct hp_measure measure, double confidence) {
    asked++;
    return real_interval_of(measure, confidence);
}

struct hp_interval hp_interval_of_chosen(struct hp_measure measure, double confidence,
                                         double rows);

struct hp_interval hp_interval_of_chosen(struct hp_measure measure, double confidence,
                                         double rows) {
    asked++;
    return real_interval_of_chosen(measure, confidence, rows);
}

// A dump with stacks of two functions each, all with different functions and sizes.
static struct hp_profile *read_dump(void) {
    char path[64];
    struct hp_err err = {0};
    int fd = memfd_create("input", 0);
    FILE *file = fdopen(fd, "w");
    unsigned total = 0;
    for (unsigned i = 1; i <= STACKS; i++) {
        total += i;
    }
    fprintf(file, "heap_v2/524288\n  t*: %u: %u [%u: %u]\n", total, total * 1024,
            total * 2, total * 2048);
    for (unsigned i = 1; i <= STACKS; i++) {
        fprintf(file, "@ %#x %#x\n  t*: %u: %u [%u: %u]\n", i * 32, i * 32 + 16, i,
                i * 1024, i * 2, i * 2048);
    }
    fprintf(file, "\nMAPPED_LIBRARIES:\n");
    fflush(file);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const char *paths[] = {path};
    struct hp_profile *profile = hp_profile_new();
    cr_assert_eq(hp_profile_read(profile, paths, 1, NULL, &err), HP_OK, "%s",
                 err.message);
    fclose(file);
    return profile;
}

// A hp_write_fn that only counts bytes.
static int drop(void *data, const void *bytes, size_t size) {
    (void)bytes;
    *(size_t *)data += size;
    return 0;
}

// Number of intervals that a report computes.
static size_t count(const struct hp_report_options *options) {
    struct hp_profile *profile = read_dump();
    struct hp_err err = {0};
    size_t written = 0;
    asked = 0;
    struct hp_view *view = hp_view_new(profile, options, &err);
    cr_assert_not_null(view, "%s", err.message);
    cr_assert_eq(hp_view_write(view, drop, &written, &err), HP_OK);
    cr_assert_gt(written, 0);
    hp_view_free(view);
    hp_profile_free(profile);
    return asked;
}

// Options of a text report with SHOWN rows.
static struct hp_report_options text_of(enum hp_report_kind kind, enum hp_sort sort) {
    return (struct hp_report_options){
        .kind = kind, .format = "text", .sort = sort, .limit = SHOWN};
}

// Expect few intervals.  Sorted by name, some rows are callers without own amounts, so
// that fewer are needed.
static void expect_few(const struct hp_report_options *options, size_t shown) {
    size_t found = count(options), least = options->sort == HP_SORT_NAME ? 1 : shown;
    cr_expect(found >= least && found <= shown + OF_NOTHING + IN_HEAD,
              "%zu in a report of kind %d in order %d", found, (int)options->kind,
              (int)options->sort);
}

Test(intervals_asked, are_in_a_text_those_of_the_rows_it_shows_and_of_totals) {
    static const enum hp_report_kind kinds[] = {HP_REPORT_TOP, HP_REPORT_STACKS,
                                                HP_REPORT_TREE};
    struct hp_filter filter = {HP_IGNORE, "0x20$"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (enum hp_sort sort = HP_SORT_FLAT; sort <= HP_SORT_NAME; sort++) {
            struct hp_report_options options = text_of(kinds[i], sort);
            expect_few(&options, SHOWN);
            options.filters = &filter;
            options.filter_count = 1;
            expect_few(&options, SHOWN);
        }
    }
}

Test(intervals_asked, are_those_of_all_rows_where_all_are_shown) {
    struct hp_report_options all = text_of(HP_REPORT_TOP, HP_SORT_CUM);
    struct hp_report_options json = {.format = "json"};
    all.limit = 0;
    expect_few(&all, 2 * (size_t)STACKS);
    cr_expect_geq(count(&json), 2 * (size_t)STACKS);
}

Test(intervals_asked, by_a_program_are_computed_one_by_one) {
    struct hp_profile *profile = read_dump();
    struct hp_err err = {0};
    asked = 0;
    struct hp_view *view = hp_view_new(profile, NULL, &err);
    cr_assert_not_null(view);
    cr_expect_leq(asked, (size_t)OF_NOTHING);
    size_t before = asked;
    for (size_t row = 0; row < SHOWN; row++) {
        struct hp_estimate flat = hp_view_estimate(view, row, 0, HP_INUSE_SPACE);
        cr_expect(flat.low < flat.value && flat.value < flat.high);
        hp_view_row(view, row);
    }
    cr_expect_eq(asked - before, (size_t)SHOWN);
    hp_view_free(view);
    hp_profile_free(profile);
}
