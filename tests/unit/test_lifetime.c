// Tests of the report `lifetime`: shares that survive, and turnover.
#include "stats/distributions.h"
#include "stats/lifetime.h"

#include <criterion/criterion.h>
#include <math.h>

static const double period = 524288;

// The quantity of a number of samples.  Objects have 16 bytes, so that a sample represents
// nearly a period.
static struct hp_quantity of_samples(double samples) {
    double objects = samples / -expm1(-16 / period), bytes = 16 * objects;
    return (struct hp_quantity){bytes, objects, bytes * period};
}

// Interval of the share that survives, from numbers of samples.
static struct hp_interval share_of(double allocated, double first, double last) {
    struct hp_survivors sums = {0};
    struct hp_quantity quantity = of_samples(allocated);
    hp_survivors_add(&sums, &quantity, (uint64_t)period, of_samples(first).bytes,
                     of_samples(last).bytes);
    return hp_survivors_share(&sums, .95);
}

static bool is_near(double found, double expected, double tolerance) {
    return fabs(found - expected) <= tolerance;
}

Test(lifetime, beta_quantiles_are_those_of_tables) {
    cr_expect(is_near(hp_beta_quantile(.95, 1, 10), 1 - pow(.05, .1), 1e-14));
    cr_expect(is_near(hp_beta_quantile(.05, 3, 8), .0872644, 1e-6)); // 3 of 10
    cr_expect(is_near(hp_beta_quantile(.95, 4, 7), .6066242, 1e-6));
    cr_expect(is_near(hp_beta_quantile(.5, 7, 7), .5, 1e-14));
}

Test(lifetime, counts_samples_of_one_size_exactly) {
    struct hp_quantity quantity = of_samples(37);
    cr_expect(is_near(hp_quantity_samples(&quantity, (uint64_t)period), 37, 1e-3));
    cr_expect(isinf(hp_quantity_samples(&quantity, 1)));
    // Three samples of objects of two periods: 3 / (1 - e^-2) objects, whose bytes have
    // hardly any error.
    double objects = 3 / (1 - exp(-2));
    struct hp_quantity large = {2 * period * objects, objects,
                                objects * period * period * 4 / expm1(2)};
    cr_expect(is_near(hp_quantity_samples(&large, (uint64_t)period), 3, 1e-9));
}

Test(lifetime, bounds_what_survives_by_clopper_and_pearson) {
    struct hp_interval none = share_of(10, 0, 0);
    cr_expect(none.low == 0 && is_near(none.high, 1 - pow(.05, .1), 1e-4));
    struct hp_interval some = share_of(10, 0, 3);
    cr_expect(is_near(some.low, .0872644, 1e-4) && is_near(some.high, .6066242, 1e-4));
    struct hp_interval all = share_of(10, 0, 10);
    cr_expect(all.high == 1 && is_near(all.low, pow(.05, .1), 1e-4));
}

// Four objects are live at the end, and four were live before: any of them may be new,
// but none has to be.
Test(lifetime, knows_not_which_of_the_living_are_old) {
    struct hp_interval share = share_of(10, 4, 4);
    cr_expect(share.low == 0 && share.high > .4);
    cr_expect(share_of(10, 4, 7).low < .0873);
    cr_expect(isnan(share_of(0, 4, 4).high));
    cr_expect(share_of(3, 0, 300).high == 1);
}

// A heavy stack with one sample limits the certainty, however many light samples there
// are.
Test(lifetime, weighs_samples_by_what_they_stand_for) {
    struct hp_survivors sums = {0};
    struct hp_quantity light = of_samples(1000);
    struct hp_quantity heavy = {1e12, 1, 0};
    hp_survivors_add(&sums, &light, (uint64_t)period, 0, 0);
    hp_survivors_add(&sums, &heavy, (uint64_t)period, 0, 0);
    cr_expect(hp_survivors_samples(&sums) < 1.01);
    cr_expect(hp_survivors_share(&sums, .95).high > .9);
    struct hp_survivors exact = {0};
    hp_survivors_add(&exact, &light, 1, 0, light.bytes / 4);
    struct hp_interval share = hp_survivors_share(&exact, .95);
    cr_expect(share.low == .25 && share.high == .25);
}

// With unknown sizes, the allocated bytes may be less for the upper end, and more for the
// lower end.
Test(lifetime, moves_its_ends_as_far_as_unknown_sizes_allow) {
    struct hp_quantity exact = of_samples(1000), slack = exact, raw = exact;
    slack.slack = (struct hp_slack){exact.bytes, exact.bytes / 2};
    slack.live_slack = (struct hp_slack){exact.bytes / 8, exact.bytes / 8};
    struct hp_survivors known = {0}, loose = {0};
    hp_survivors_add(&known, &exact, (uint64_t)period, 0, exact.bytes / 4);
    hp_survivors_add(&loose, &slack, (uint64_t)period, 0, exact.bytes / 4);
    struct hp_interval share = hp_survivors_share(&known, .95);
    cr_expect(share.low > .22 && share.low < .25 && share.high > .25 && share.high < .28);
    share = hp_survivors_share(&loose, .95);
    cr_expect(share.low > .05 && share.low < .0625 && share.high > .75 &&
              share.high < .78);
    slack.slack.excess = 2 * exact.bytes;
    loose = (struct hp_survivors){0};
    hp_survivors_add(&loose, &slack, (uint64_t)period, 0, exact.bytes / 4);
    cr_expect_eq(hp_survivors_share(&loose, .95).high, 1);
    raw.objects = -5; // fewer at the last dump than at the first
    cr_expect(is_near(hp_quantity_samples(&raw, (uint64_t)period), 1000, .1));
}

Test(lifetime, judges_by_the_ends_alone) {
    cr_expect_str_eq(hp_survivors_verdict((struct hp_interval){0, .01}), "temporary");
    cr_expect_str_eq(hp_survivors_verdict((struct hp_interval){0, .0101}), "");
    cr_expect_str_eq(hp_survivors_verdict((struct hp_interval){.51, 1}), "kept");
    cr_expect_str_eq(hp_survivors_verdict((struct hp_interval){.5, 1}), "");
    cr_expect_str_eq(hp_survivors_verdict((struct hp_interval){NAN, NAN}), "");
}

// --- turnover --------------------------------------------------------------------------

// A course of eight dumps.
struct eight {
    double live[8], gaps[7], process[7];
};

static const struct eight steady = {{5, 6, 5, 4, 5, 6, 5, 4},
                                    {50, 50, 50, 50, 50, 50, 50},
                                    {100, 100, 100, 100, 100, 100, 100}};

// Turnover of the first `dumps` dumps of a course.
static struct hp_turnover turnover_of(const struct eight *of, size_t dumps,
                                      double samples) {
    struct hp_course course = {of->live, of->gaps, of->process, dumps, 1, samples, 1e6};
    return hp_turnover_of(&course, .95);
}

Test(lifetime, estimates_the_turnover_of_a_steady_course) {
    struct hp_turnover turnover = turnover_of(&steady, 8, 350);
    cr_expect(turnover.lack == HP_TURNOVER_KNOWN && turnover.value == 10);
    cr_expect(turnover.range.low < 8 && turnover.range.low > 5);
    cr_expect(turnover.range.high > 12 && turnover.range.high < 16);
}

// The reason why a changed course has no turnover.
static enum hp_turnover_lack lack_with(void change(struct eight *)) {
    struct eight changed = steady;
    change(&changed);
    return turnover_of(&changed, 8, 350).lack;
}

// The functions that follow change a steady course.
static void make_uneven(struct eight *of) {
    of->process[3] = 121;
}

static void pause_twice(struct eight *of) {
    of->gaps[2] = of->gaps[4] = 0;
}

static void pause_once(struct eight *of) {
    of->gaps[2] = 0;
}

static void pause_last(struct eight *of) {
    of->gaps[6] = 0;
}

static void keep(struct eight *of) {
    of->live[7] = 71;
}

static void drift(struct eight *of) {
    of->live[0] = of->live[1] = 12;
}

static void die(struct eight *of) {
    for (size_t i = 0; i < 8; i++) {
        of->live[i] = 0;
    }
}

Test(lifetime, gives_the_reason_for_a_missing_turnover) {
    cr_expect(turnover_of(&steady, 7, 350).lack == HP_TURNOVER_FEW_DUMPS);
    cr_expect(isnan(turnover_of(&steady, 7, 350).value));
    cr_expect(turnover_of(&steady, 8, 9).lack == HP_TURNOVER_FEW_SAMPLES);
    cr_expect(lack_with(make_uneven) == HP_TURNOVER_UNEVEN);
    cr_expect(lack_with(pause_twice) == HP_TURNOVER_PAUSES);
    cr_expect(lack_with(pause_once) == HP_TURNOVER_KNOWN);
    cr_expect(lack_with(pause_last) == HP_TURNOVER_PAUSES);
    cr_expect(lack_with(keep) == HP_TURNOVER_WINDOW);
    cr_expect(lack_with(drift) == HP_TURNOVER_DRIFT);
    cr_expect(lack_with(die) == HP_TURNOVER_FEW_SAMPLES);
    cr_expect_str_eq(hp_turnover_lack_name(HP_TURNOVER_PAUSES), "pauses");
}
