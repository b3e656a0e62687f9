// Tests of the order of dumps in a series.
#include "view/series.h"

#include <criterion/criterion.h>

static struct hp_profile profile;

static void setup(void) {
    hp_profile_init(&profile);
}

static void done(void) {
    hp_profile_done(&profile);
}

TestSuite(series, .init = setup, .fini = done);

// Add an input.
static void add(const char *name, double time, enum hp_input_status status) {
    struct hp_input_record input = {.public = {.name = name, .status = status}};
    input.identity.time = time;
    hp_vec_push(&profile.inputs.records, input);
}

// Expect the dumps of the series with their times.
static void expect(size_t count, const char *const *names, const double *times) {
    size_t found;
    struct hp_series_dump *dumps = hp_series_new(&profile, &found);
    cr_assert_eq(found, count);
    for (size_t i = 0; i < count; i++) {
        cr_expect_str_eq(dumps[i].input->public.name, names[i]);
        cr_expect_eq(&profile.inputs.records.at[dumps[i].number], dumps[i].input);
        cr_expect_eq(dumps[i].time, times[i]);
    }
    free(dumps);
}

Test(series, counts_dumps_without_times_in_the_order_of_their_numbers) {
    add("d.10.heap", 0, HP_INPUT_USED);
    add("d.9.heap", 0, HP_INPUT_KEPT_DAMAGED);
    add("d.1.heap", 0, HP_INPUT_SKIPPED);
    add("d.2.heap", 0, HP_INPUT_DUPLICATE);
    expect(2, (const char *[]){"d.9.heap", "d.10.heap"}, (const double[]){1, 2});
}

Test(series, goes_by_time_where_there_are_times) {
    profile.inputs.have_times = true;
    add("a", 1700000002.5, HP_INPUT_USED);
    add("c", 1700000001, HP_INPUT_USED);
    add("b", 1700000001, HP_INPUT_USED);
    expect(3, (const char *[]){"b", "c", "a"},
           (const double[]){1700000001, 1700000001, 1700000002.5});
}

Test(series, rounds_times_to_nanoseconds_that_fit) {
    cr_expect_eq(hp_nanoseconds(1700000002.5), 1700000002500000000);
    cr_expect_eq(hp_nanoseconds(-1.5e-9), -2);
    cr_expect_eq(hp_nanoseconds(1e300), INT64_MAX);
    cr_expect_eq(hp_nanoseconds(-1e300), INT64_MIN);
}
