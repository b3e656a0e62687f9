// Tests of uses of the library that the command line does not make.
#include "hprof-agg/hprof-agg.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct hp_err err;

// Create a file with these bytes; returns its descriptor, and sets `path`.
static int file_of(const void *bytes, size_t size, char path[64]) {
    int fd = memfd_create("input", 0);
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    cr_assert_eq(write(fd, bytes, size), (ssize_t)size);
    return fd;
}

static const char dump[] =
    "heap_v2/524288\n"
    "  t*: 2: 200000 [0: 0]\n"
    "@ 0x401000 0x402000\n"
    "  t*: 2: 200000 [0: 0]\n"
    "\n"
    "MAPPED_LIBRARIES:\n"
    "400000-500000 r-xp 00000000 fe:00 7 /srv/bin/app\n";

// Read the dump.
static struct hp_profile *read_dump(void) {
    char path[64];
    int fd = file_of(dump, sizeof dump - 1, path);
    const char *paths[] = {path};
    struct hp_profile *profile = hp_profile_new();
    struct hp_read_options options = {.base_count = 0};
    cr_assert_eq(hp_profile_read(profile, paths, 1, &options, &err), HP_OK, "%s",
                 err.message);
    close(fd);
    return profile;
}

// A hp_write_fn that appends to a text of 8192 bytes.
static int append(void *data, const void *bytes, size_t size) {
    char *text = data;
    size_t have = strlen(text);
    if (have + size < 8192) {
        memcpy(text + have, bytes, size);
        text[have + size] = '\0';
    }
    return 0;
}

// Use a locale in which 0.5 is written "0,5".
static void use_german_numbers(void) {
    char folder[] = "/tmp/hprof-agg-XXXXXX", command[256];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8",
             folder);
    cr_assert_eq(system(command), 0);
    setenv("LOCPATH", folder, 1);
    cr_assert_not_null(setlocale(LC_NUMERIC, "de_DE.UTF-8"));
    snprintf(command, sizeof command, "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

// Write a report to `text`.
static void write_report(const struct hp_profile *profile,
                         const struct hp_report_options *options, char text[8192]) {
    struct hp_view *view = hp_view_new(profile, options, &err);
    cr_assert_not_null(view, "%s", err.message);
    cr_assert_eq(hp_view_write(view, append, text, &err), HP_OK);
    hp_view_free(view);
}

Test(library, writes_json_whatever_locale_its_caller_has) {
    use_german_numbers();
    struct hp_profile *profile = read_dump();
    struct hp_report_options options = {.format = "json", .confidence = 0.5};
    char text[8192] = "";
    write_report(profile, &options, text);
    cr_expect_not_null(strstr(text, "\"confidence\": 0.5"), "%s", text);
    hp_profile_free(profile);
}

Test(library, has_filters_of_each_report_and_not_of_the_profile) {
    struct hp_profile *profile = read_dump();
    struct hp_filter filter = {HP_HIDE, "0x1"};
    struct hp_report_options options = {.filters = &filter, .filter_count = 1};
    char with[8192] = "", without[8192] = "";
    write_report(profile, &options, with);
    cr_expect_null(strstr(with, "app@0x1000"), "%s", with);
    write_report(profile, NULL, without);
    cr_expect_not_null(strstr(without, "app@0x1000"), "%s", without);
    hp_profile_free(profile);
}

Test(library, describes_its_reports_and_their_arguments) {
    for (enum hp_report_kind kind = 0; kind < HP_REPORT_KINDS; kind++) {
        bool has_command = kind != HP_REPORT_TIMELINE;
        bool takes_pattern = kind == HP_REPORT_PEEK || kind == HP_REPORT_LIST;
        cr_expect_not_null(hp_report_name(kind));
        cr_expect_eq(hp_report_help(kind) != NULL, has_command);
        cr_expect_eq(hp_report_takes(kind), takes_pattern               ? HP_TAKES_PATTERN
                                            : kind == HP_REPORT_DIFF    ? HP_TAKES_BASE
                                            : kind == HP_REPORT_ACCOUNT ? HP_TAKES_STATS
                                                                        : 0u);
    }
    cr_expect_str_eq(hp_report_name(HP_REPORT_TOP), "top");
}

Test(library, names_the_report_that_was_not_planned) {
    hp_show_message_codes();
    char path[64];
    int fd = file_of(dump, sizeof dump - 1, path);
    const char *paths[] = {path};
    struct hp_profile *profile = hp_profile_new();
    struct hp_report_options top = {.format = "text"}, by_input = {.by = HP_BY_INPUT};
    struct hp_read_options options = {.planned = &top, .planned_count = 1};
    cr_assert_eq(hp_profile_read(profile, paths, 1, &options, &err), HP_OK);
    cr_expect_null(hp_view_new(profile, &by_input, &err));
    cr_expect_eq(err.code, HP_E_USAGE);
    cr_expect_not_null(strstr(err.message, "report-not-planned: top input"), "%s",
                       err.message);
    hp_profile_free(profile);
    close(fd);
}

Test(library, makes_no_account_of_a_part_of_the_stacks) {
    char heap[4096], stats[4096];
    snprintf(heap, sizeof heap, "%s/account/frag.heap", getenv("TESTDATA"));
    snprintf(stats, sizeof stats, "%s/account/frag.json", getenv("TESTDATA"));
    const char *paths[] = {heap};
    struct hp_filter filter = {.rule = HP_IGNORE, .pattern = "0x127b"};
    struct hp_report_options report = {.kind = HP_REPORT_ACCOUNT, .waste = true};
    struct hp_read_options options = {.planned = &report,
                                      .planned_count = 1,
                                      .stats = stats};
    struct hp_profile *profile = hp_profile_new();
    cr_assert_eq(hp_profile_read(profile, paths, 1, &options, &err), HP_OK, "%s",
                 err.message);
    struct hp_view *view = hp_view_new(profile, &report, &err);
    cr_assert_not_null(view, "%s", err.message);
    hp_view_free(view);
    report.filters = &filter;
    report.filter_count = 1;
    for (int i = 0; i < 2; i++) {
        report.waste = i > 0;
        cr_expect_null(hp_view_new(profile, &report, &err));
        cr_expect_eq(err.code, HP_E_USAGE, "%s", err.message);
    }
    hp_profile_free(profile);
}

Test(library, knows_its_inputs_when_the_paths_are_gone) {
    char path[64], as_given[64];
    int fd = file_of(dump, sizeof dump - 1, path);
    const char *paths[] = {path};
    struct hp_profile *profile = hp_profile_new();
    cr_assert_eq(hp_profile_read(profile, paths, 1, NULL, &err), HP_OK);
    strcpy(as_given, path);
    memset(path, 'x', sizeof path - 1);
    cr_expect_str_eq(hp_profile_input(profile, 0)->name, as_given);
    hp_profile_free(profile);
    close(fd);
}

// Write the header of a file in a tar archive.
static void put_header(char block[512], const char *name, char kind, size_t size) {
    unsigned sum = 0;
    memset(block, 0, 512);
    strcpy(block, name);
    snprintf(block + 124, 12, "%011zo", size);
    memset(block + 148, ' ', 8);
    block[156] = kind;
    memcpy(block + 257, "ustar", 5);
    for (int i = 0; i < 512; i++) {
        sum += (unsigned char)block[i];
    }
    snprintf(block + 148, 8, "%06o", sum);
}

// A hp_progress_fn that keeps the last state.
static void take_progress(void *data, const struct hp_progress *progress) {
    *(struct hp_progress *)data = *progress;
}

// A hp_write_fn that ignores everything.
static int drop(void *data, const void *bytes, size_t size) {
    (void)data, (void)bytes, (void)size;
    return 0;
}

// A partial file contains the name of the archive that each dump came from.
Test(library, knows_its_archives_when_their_paths_are_gone) {
    char archive[6 * 512] = "", path[64];
    put_header(archive, "a.heap", '0', sizeof dump - 1);
    memcpy(archive + 512, dump, sizeof dump - 1);
    int fd = file_of(archive, sizeof archive, path);
    char *as_given = strdup(path);
    struct hp_report_options report = {.kind = HP_REPORT_MERGE, .format = "hpa"};
    struct hp_read_options options = {.tars = (const char *const[]){as_given},
                                      .tar_count = 1,
                                      .planned = &report,
                                      .planned_count = 1};
    struct hp_profile *profile = hp_profile_new();
    cr_assert_eq(hp_profile_read(profile, NULL, 0, &options, &err), HP_OK, "%s",
                 err.message);
    memset(as_given, '\n', strlen(as_given));
    free(as_given);
    struct hp_view *view = hp_view_new(profile, &report, &err);
    cr_assert_eq(hp_view_write(view, drop, NULL, &err), HP_OK, "%s", err.message);
    hp_view_free(view);
    hp_profile_free(profile);
    close(fd);
}

Test(library, counts_in_its_progress_only_what_was_read) {
    char archive[6 * 512] = "", path[64]; // a dump, and a sparse file, which is not read
    put_header(archive, "a.heap", '0', sizeof dump - 1);
    memcpy(archive + 512, dump, sizeof dump - 1);
    put_header(archive + 1024, "b.heap", 'S', 512);
    int fd = file_of(archive, sizeof archive, path);
    struct hp_progress last = {.done = 0};
    struct hp_read_options options = {
        .tars = (const char *const[]){path},
        .tar_count = 1,
        .jobs = 1,
        .max_skipped = 1,
        .progress = take_progress,
        .progress_data = &last,
    };
    struct hp_profile *profile = hp_profile_new();
    cr_assert_eq(hp_profile_read(profile, NULL, 0, &options, &err), HP_OK, "%s",
                 err.message);
    cr_expect_eq(last.done, 2);
    cr_expect_eq(last.stacks, 1);
    cr_expect_eq(last.bytes, sizeof dump - 1);
    hp_profile_free(profile);
    close(fd);
}

Test(library, reports_a_sample_type_by_its_name) {
    char path[512];
    snprintf(path, sizeof path, "%s/pprof/tcmalloc-heap.pb", getenv("TESTDATA"));
    const char *paths[] = {path};
    struct hp_profile *profile = hp_profile_new();
    cr_assert_eq(hp_profile_read(profile, paths, 1, NULL, &err), HP_OK, "%s",
                 err.message);
    for (enum hp_report_kind kind = 0; kind < HP_REPORT_KINDS; kind++) {
        struct hp_report_options options = {.kind = kind,
                                            .metric_name = "resident_space"};
        bool has_rows = kind == HP_REPORT_TOP || kind == HP_REPORT_TREE;
        bool has_stacks = kind == HP_REPORT_STACKS || kind == HP_REPORT_MERGE;
        if (!has_rows && !has_stacks) {
            continue;
        }
        struct hp_view *view = hp_view_new(profile, &options, &err);
        cr_assert_not_null(view, "%s", err.message);
        struct hp_estimate total = hp_view_total(view, HP_INUSE_SPACE, false);
        cr_expect_eq(total.value, 500000);
        cr_expect(isnan(total.low) && isnan(total.high));
        if (has_stacks) {
            cr_assert_eq(hp_view_stack_count(view), 1);
            total = hp_view_stack_estimate(view, 0, HP_INUSE_SPACE);
            cr_expect_eq(total.value, 500000);
        }
        hp_view_free(view);
    }
    struct hp_report_options other = {.metric_name = "stale_space"};
    cr_expect_null(hp_view_new(profile, &other, &err));
    cr_expect_eq(err.code, HP_E_EMPTY);
    cr_expect_not_null(strstr(err.message, "resident_space, swapped_space"));
    hp_profile_free(profile);
}
