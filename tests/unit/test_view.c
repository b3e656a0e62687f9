// Tests of what programs read from a view: numbers that were not computed are NAN.
#include "hprof-agg/hprof-agg.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DUMPS = 6,
};

static struct hp_err err;

// Read a series of dumps of one process.
static struct hp_profile *read_series(size_t base_count) {
    static const char *const names[DUMPS] = {"10978.0.i0", "10978.1.i1", "10978.2.i2",
                                             "10978.3.i3", "10978.4.i4", "10978.5.f"};
    static char paths[DUMPS][512];
    const char *at[DUMPS];
    for (size_t i = 0; i < DUMPS; i++) {
        snprintf(paths[i], sizeof paths[i],
                 "%s/root/srv/corpus/formats/series/jp.%s.heap", getenv("TESTDATA"),
                 names[i]);
        at[i] = paths[i];
    }
    struct hp_profile *profile = hp_profile_new();
    struct hp_read_options options = {.base_count = base_count,
                                      .snapshots = HP_SNAPSHOTS_SUM};
    cr_assert_eq(hp_profile_read(profile, at, DUMPS, &options, &err), HP_OK, "%s",
                 err.message);
    return profile;
}

// Make a view; fails the test if that is not possible.
static struct hp_view *view_of(const struct hp_profile *profile,
                               struct hp_report_options options) {
    struct hp_view *view = hp_view_new(profile, &options, &err);
    cr_assert_not_null(view, "%s", err.message);
    return view;
}

// Index of a column.
static size_t column_of(const struct hp_view *view, const char *key) {
    size_t i = 0;
    while (strcmp(hp_view_column(view, i)->key, key) != 0) {
        i++;
    }
    return i;
}

// Whether numbers are equal, or both NAN.
static bool equal(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

// Whether an estimate is the same, except that ends may be missing.
static bool is_of(struct hp_estimate some, struct hp_estimate all) {
    return equal(some.value, all.value) && (isnan(some.low) || some.low == all.low) &&
           (isnan(some.high) || some.high == all.high);
}

// Compare each row of a view for a format with that of a view without a format.
static void compare_tops(const char *format, enum hp_sort sort, size_t limit) {
    struct hp_profile *profile = read_series(0);
    struct hp_view *all = view_of(profile, (struct hp_report_options){.sort = sort});
    struct hp_view *some = view_of(profile, (struct hp_report_options){
                                                .sort = sort,
                                                .format = format,
                                                .limit = limit,
                                            });
    cr_assert_eq(hp_view_row_count(some), hp_view_row_count(all));
    for (size_t row = 0; row < hp_view_row_count(all); row++) {
        for (size_t column = 0; column < 2; column++) {
            struct hp_estimate a = hp_view_estimate(some, row, column, HP_INUSE_SPACE);
            struct hp_estimate b = hp_view_estimate(all, row, column, HP_INUSE_SPACE);
            cr_expect(!isnan(b.low));
            cr_expect(is_of(a, b), "%s row %zu: %g [%g, %g], not %g [%g, %g]", format,
                      row, a.value, a.low, a.high, b.value, b.low, b.high);
        }
    }
    hp_view_free(some);
    hp_view_free(all);
    hp_profile_free(profile);
}

Test(view, has_the_interval_of_a_row_or_none) {
    compare_tops("text", HP_SORT_FLAT, 0);
    compare_tops("text", HP_SORT_CUM, 0);
    compare_tops("json", HP_SORT_CUM, 1);
}

Test(view, knows_nothing_of_a_metric_that_was_not_added_up) {
    static const enum hp_report_kind kinds[] = {HP_REPORT_TREE, HP_REPORT_DIFF,
                                                HP_REPORT_TREND};
    struct hp_profile *profile = read_series(1);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct hp_view *view = view_of(profile, (struct hp_report_options){kinds[i]});
        struct hp_estimate own = hp_view_estimate(view, 0, 0, HP_INUSE_SPACE);
        struct hp_estimate other = hp_view_estimate(view, 0, 0, HP_INUSE_OBJECTS);
        cr_expect(!isnan(own.value));
        cr_expect(isnan(other.value) && isnan(other.low), "kind %zu: %g", i, other.value);
        hp_view_free(view);
    }
    hp_profile_free(profile);
}

Test(view, has_no_estimate_where_a_column_has_none) {
    struct hp_profile *profile = read_series(0);
    struct hp_view *view = view_of(profile, (struct hp_report_options){.format = "text"});
    size_t column = column_of(view, "effective_samples");
    cr_expect(isnan(hp_view_estimate(view, 0, column, HP_ALLOC_SPACE).low));
    cr_expect(!isnan(hp_view_number(view, 0, column)));
    hp_view_free(view);
    hp_profile_free(profile);
}

Test(view, names_a_row_of_its_own_that_grew_too_much) {
    hp_show_message_codes();
    struct hp_profile *profile = read_series(1);
    struct hp_gate gate = {.growth = 1e4, .p = 0};
    static const char *const formats[] = {NULL, "difffolded"};
    for (size_t i = 0; i < 2; i++) {
        struct hp_view *view =
            view_of(profile,
                    (struct hp_report_options){HP_REPORT_DIFF, .format = formats[i],
                                               .gate = &gate});
        struct hp_excess first;
        cr_assert(hp_view_exceeds(view, &first));
        cr_expect(first.row == HP_NO_ROW || first.row < hp_view_row_count(view));
        char text[128], cut[8];
        hp_view_excess_text(view, &first, text, sizeof text);
        cr_expect(strstr(text, "fail-if-grew") == text, "%s", text);
        cr_expect(strstr(text, "fail-if-p: p") && strstr(text, " 9.8 KiB"), "%s", text);
        hp_view_excess_text(view, &first, cut, sizeof cut);
        cr_expect_eq(strlen(cut), sizeof cut - 1);
        hp_view_free(view);
    }
    hp_profile_free(profile);
}

Test(view, says_which_growth_comes_nearest_to_a_gate) {
    struct hp_profile *profile = read_series(1);
    struct hp_gate gate = {.growth = 1e18};
    struct hp_view *view =
        view_of(profile, (struct hp_report_options){HP_REPORT_DIFF, .gate = &gate});
    struct hp_excess first = {.name = "untouched"};
    cr_expect(!hp_view_exceeds(view, &first));
    cr_expect_str_eq(first.name, "total");
    cr_expect(first.row == HP_NO_ROW && first.growth <= first.limit);
    hp_view_free(view);
    hp_profile_free(profile);
}

Test(view, refuses_groups_that_a_report_has_no_rows_of) {
    static const struct hp_report_options refused[] = {
        {HP_REPORT_TOP, .by = HP_BY_LABEL},
        {HP_REPORT_TREE, .by = HP_BY_INPUT},
        {HP_REPORT_STACKS, .by = HP_BY_THREAD},
        {HP_REPORT_TOP, .by = HP_BY_INPUT, .format = "folded"},
    };
    struct hp_profile *profile = read_series(0);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        cr_expect_null(hp_view_new(profile, &refused[i], &err));
        cr_expect_eq(err.code, HP_E_USAGE, "%zu: %s", i, err.message);
    }
    hp_profile_free(profile);
}

Test(view, knows_where_the_functions_of_a_listing_are) {
    struct hp_profile *profile = hp_profile_new();
    char path[512];
    const char *paths[] = {path};
    snprintf(path, sizeof path, "%s/formats/go-protobuf.pb.gz", getenv("TESTDATA"));
    cr_assert_eq(hp_profile_read(profile, paths, 1, NULL, &err), HP_OK, "%s",
                 err.message);
    struct hp_filter filter = {HP_PICK, "."};
    struct hp_view *view =
        view_of(profile, (struct hp_report_options){HP_REPORT_LIST, .filters = &filter,
                                                    .filter_count = 1});
    cr_assert(hp_view_row_count(view) > 0);
    for (size_t i = 0; i < hp_view_row_count(view); i++) {
        const struct hp_row *row = hp_view_row(view, i);
        cr_expect_str_eq(row->function, row->name);
        cr_expect_neq(row->file[0], '\0', "%s", row->name);
    }
    hp_view_free(view);
    hp_profile_free(profile);
}
