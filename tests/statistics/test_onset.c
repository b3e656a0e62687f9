// Tests since when rows grow, cell by cell: how often a leak that begins in mid-series is
// found and marked, how often a claim is wrong, and what the bounds and the region of the
// onset hold.  test_trend.c has the memory that does not grow at all.
//
// This prints the figures of all cells, for a thousand series each:
//
//     TREND_SERIES=1000 build/tests/test-onset -j1
#include "stats/measure.h"
#include "trend_rows.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

enum {
    CLEAN = KINDS, // no noise but that of sampling
};

// A leak of a share of the level a dump since a part of the series, in noise.
struct leak {
    int dumps;
    double begins; // share of the dumps before the leak
    double slope, level;
    int noise; // an enum kind, or CLEAN
    bool is_new;
};

// Shares of the series of a cell.
struct onset_shares {
    double growing, since,
        inside; // rows that grow; that grow since; of these the true dump
    double covered;
    int worse, contradictions;
};

// Four standard errors of a share.
static double slack(double share, int count) {
    return 4 * sqrt(share * (1 - share) / count);
}

static struct observed observe_leak(const struct leak *leak) {
    double shares[MOST_DUMPS];
    int onset = (int)lround(leak->begins * leak->dumps) - (leak->begins > 0);
    for (int j = 0; j < leak->dumps; j++) {
        shares[j] = leak->is_new ? 0 : 1;
        shares[j] += j > onset ? leak->slope * (j - onset) : 0;
    }
    if (leak->noise != CLEAN) {
        add_noise(shares, leak->dumps, (enum kind)leak->noise);
    }
    return observe_shares(shares, leak->dumps, leak->level, leak->is_new ? 1e-9 : 0.01);
}

static struct onset_shares look_at(const struct leak *leak, uint64_t seed) {
    struct onset_shares shares = {0};
    struct times times = times_of(leak->dumps);
    size_t onset = (size_t)lround(leak->begins * leak->dumps) - (leak->begins > 0);
    double share = 1. / series();
    seed_series(seed);
    for (int i = 0; i < series(); i++) {
        struct observed o = observe_leak(leak);
        struct row row = row_of(times, &o, false);
        bool is_since = row.shape == HP_TREND_SINCE;
        bool is_inside = row.onset.from <= onset && onset <= row.onset.to;
        shares.growing += row.rise.p <= alpha ? share : 0;
        shares.since += is_since ? share : 0;
        shares.inside += is_since && is_inside ? share : 0;
        shares.covered += row.rise.least <= leak->slope * leak->level ? share : 0;
        shares.worse += row.rise.p > row.whole.p;
        shares.contradictions += (row.rise.p < alpha) != (row.rise.least > 0);
    }
    free_times(times);
    if (series_asked_for() > 0) {
        fprintf(stderr,
                "%-13s %3d dumps, leak from %.2f on, %.0f %% of %.0eR%s: p <= .05: %.3f  "
                "bound holds: %.3f  since %.3f  onset %.3f\n",
                leak->noise == CLEAN ? "clean" : kind_names[leak->noise], leak->dumps,
                leak->begins, 100 * leak->slope, leak->level, leak->is_new ? " new" : "",
                shares.growing, shares.covered, shares.since, shares.inside);
    }
    return shares;
}

static void is_valid(const struct leak *leak, const struct onset_shares *shares,
                     double covered) {
    cr_expect_eq(shares->worse, 0);
    cr_expect_eq(shares->contradictions, 0);
    cr_expect_geq(shares->covered, covered - slack(covered, series()),
                  "%d dumps from %g, noise %d: %g", leak->dumps, leak->begins,
                  leak->noise, shares->covered);
}

// --- power ----------------------------------------------------------------------------------

// The power that the prototype of the rule has, by where the leak begins.
struct power {
    int dumps;
    double slope, level;
    int noise;
    double of[4]; // leaks in the whole series, and in its last .75, .5 and .25
};

static const struct power powers[] = {
    {24, 0.01, 1e6, CLEAN, {1, 1, 1, 0}},
    {30, 0.01, 1e6, CLEAN, {1, 1, 1, 1}},
    {100, 0.01, 1e6, CLEAN, {1, 1, 1, 1}},
    {24, 0.01, 1e3, CLEAN, {.95, .62, .23, .02}},
    {30, 0.01, 1e3, CLEAN, {.97, .72, .39, .04}},
    {100, 0.01, 1e3, CLEAN, {1, .97, .97, .88}},
    {24, 0.01, 1e6, WHITE_NOISE, {.40, .27, .15, .02}},
    {30, 0.01, 1e6, WHITE_NOISE, {.61, .40, .22, .05}},
    {100, 0.01, 1e6, WHITE_NOISE, {1, .99, .81, .36}},
    {24, 0.01, 1e6, AR_8, {.24, .14, .06, .03}},
    {30, 0.01, 1e6, AR_8, {.38, .22, .09, .04}},
    {100, 0.01, 1e6, AR_8, {1, .87, .53, .22}},
    {24, 0.01, 1e6, WALK, {.54, .31, .18, .08}},
    {30, 0.01, 1e6, WALK, {.65, .40, .25, .14}},
    {100, 0.01, 1e6, WALK, {.99, .81, .67, .40}},
};

Test(onset, leaks_are_found_as_often_as_in_the_study, .timeout = 900) {
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
        for (int k = 0; k < 4; k++) {
            struct leak leak = {powers[i].dumps, k * 0.25,        powers[i].slope,
                                powers[i].level, powers[i].noise, false};
            struct onset_shares shares = look_at(&leak, 100 + 4 * i + (uint64_t)k);
            double least = powers[i].of[k] - 0.05;
            cr_expect_geq(shares.growing, least - slack(fmax(least, 0), series()),
                          "%d dumps from %g, noise %d: %g", leak.dumps, leak.begins,
                          leak.noise, shares.growing);
            is_valid(&leak, &shares, k == 0 && leak.noise == WALK ? 0.93 : 0.96);
        }
    }
}

Test(onset, steeper_leaks_and_new_rows_are_found_as_often, .timeout = 900) {
    static const struct leak leaks[] = {
        {24, 0.5, 0.02, 1e6, WHITE_NOISE, false},
        {24, 0.5, 0.02, 1e6, AR_8, false},
        {24, 0.5, 0.02, 1e6, WALK, false},
        {30, 0.5, 0.02, 1e6, WHITE_NOISE, false},
        {30, 0.5, 0.02, 1e6, AR_8, false},
        {30, 0.5, 0.02, 1e6, WALK, false},
        {100, 0.5, 0.02, 1e6, WHITE_NOISE, false},
        {100, 0.5, 0.02, 1e6, AR_8, false},
        {100, 0.5, 0.02, 1e6, WALK, false},
        {24, 0.5, 0.01, 1e6, CLEAN, true},
        {30, 0.75, 0.01, 1e3, CLEAN, true},
        {100, 0.75, 0.01, 1e3, CLEAN, true},
    };
    static const double least[] = {.27, .24, .43, .35, .32, .58, 1, .99, .94, 1, .90, 1};
    for (size_t i = 0; i < sizeof leaks / sizeof *leaks; i++) {
        struct onset_shares shares = look_at(&leaks[i], 300 + i);
        double wanted = least[i] - 0.05;
        cr_expect_geq(shares.growing, wanted - slack(wanted, series()),
                      "%d dumps, noise %d: %g", leaks[i].dumps, leaks[i].noise,
                      shares.growing);
        is_valid(&leaks[i], &shares, 0.96);
    }
}

// --- the onset ------------------------------------------------------------------------------

Test(onset, the_region_has_the_onset, .timeout = 900) {
    static const struct leak leaks[] = {
        {24, 0.5, 0.01, 1e6, CLEAN, false}, {100, 0.5, 0.01, 1e6, CLEAN, false},
        {100, 0.5, 0.02, 1e6, AR_8, false}, {100, 0.5, 0.02, 1e6, WHITE_NOISE, false},
        {100, 0.5, 0.02, 1e6, WALK, false}, {24, 0.5, 0.02, 1e6, WALK, false},
        {24, 0.5, 0.01, 1e6, CLEAN, true},  {100, 0.5, 0.01, 1e3, CLEAN, true},
    };
    static const double least[] = {.95, .95, .88, .88, .80, .80, .80, .80};
    for (size_t i = 0; i < sizeof leaks / sizeof *leaks; i++) {
        struct onset_shares shares = look_at(&leaks[i], 500 + i);
        double inside = shares.inside / shares.since;
        int rows = (int)lround(shares.since * series());
        cr_expect_geq(inside, least[i] - slack(least[i], rows), "%d dumps, noise %d: %g",
                      leaks[i].dumps, leaks[i].noise, inside);
    }
}

Test(onset, a_leak_of_the_whole_series_is_not_since, .timeout = 900) {
    static const int noises[] = {CLEAN, WHITE_NOISE, AR_8, WALK};
    static const double most[] = {.05, .08, .08, .13};
    for (int i = 0; i < 16; i++) {
        int noise = noises[i / 4];
        struct leak leak = {i & 1 ? 100 : 24, 0, 0.01, i & 2 ? 1e3 : 1e6, noise, false};
        double since = look_at(&leak, 600 + (uint64_t)i).since;
        cr_expect_leq(since, most[i / 4] + slack(most[i / 4], series()),
                      "%d dumps, %gR, noise %d: %g", leak.dumps, leak.level, noise,
                      since);
    }
}

// --- no growth ------------------------------------------------------------------------------

// The memory of a program of `dumps` dumps at dump j, as a share of its level.  `chance`
// is drawn once for each series, between 0 and 1.
typedef double memory_fn(int j, int dumps, double chance);

static double cycle_of(double period, int j, double chance) {
    return 1 + 0.1 * sin(2 * 3.14159265358979323846 * (j / period + chance));
}

static double cycle_of_three_quarters(int j, int dumps, double chance) {
    return cycle_of(0.77 * dumps, j, chance);
}

static double one_cycle(int j, int dumps, double chance) {
    return cycle_of(dumps, j, chance);
}

static double cycle_of_four_thirds(int j, int dumps, double chance) {
    return cycle_of(1.33 * dumps, j, chance);
}

static double half_a_cycle(int j, int dumps, double chance) {
    return cycle_of(2 * dumps, j, chance);
}

static double constant(int j, int dumps, double chance) {
    (void)j, (void)dumps, (void)chance;
    return 1;
}

static double cycle_of_24(int j, int dumps, double chance) {
    (void)dumps;
    return cycle_of(24, j, chance);
}

static double sawtooth(int j, int dumps, double chance) {
    (void)dumps;
    return 1 + 0.2 * (fmod(j / 13. + chance, 1) - 0.5);
}

static double warm_up_from(double begin, int j, int dumps) {
    double since = j - begin * dumps, left = (1 - begin) * dumps;
    return 1 - exp(-fmax(since, 0) / (0.2 * left)) + (begin > 0);
}

static double warm_up(int j, int dumps, double chance) {
    (void)chance;
    return warm_up_from(0, j, dumps);
}

static double late_warm_up(int j, int dumps, double chance) {
    (void)chance;
    return warm_up_from(0.5, j, dumps);
}

// A leak that begins after a fifth to two fifths of the series, and stops after as long.
static double leak_that_stopped(int j, int dumps, double chance) {
    double begin = (0.2 + 0.2 * chance) * dumps, length = 0.3 * dumps;
    return 1 + 0.01 * fmin(fmax(j - begin, 0), length);
}

static double ramp_of_five(int j, int dumps, double chance) {
    double begin = floor((0.2 + 0.4 * chance) * dumps);
    return 1 + 0.04 * fmin(fmax(j - begin, 0), 5);
}

static double two_steps(int j, int dumps, double chance) {
    double first = (0.2 + 0.1 * chance) * dumps, second = (0.5 + 0.1 * chance) * dumps;
    return 1 + 0.1 * (j >= first) + 0.1 * (j >= second);
}

static double one_step(int j, int dumps, double chance) {
    return 1 + 0.1 * (j >= (0.3 + 0.3 * chance) * dumps);
}

// Memory that did not exist before.
static double new_row(int j, int dumps, double chance) {
    return j >= (0.3 + 0.3 * chance) * dumps;
}

// Each day has a height of its own.
static double days_of_differing_height(int j, int dumps, double chance) {
    (void)dumps;
    double height = fmod(997 * chance * (1 + floor(j / 24.)), 1);
    return 1 + 0.2 * height * sin(2 * 3.14159265358979323846 * j / 24.);
}

// Memory with noise where there is any.
static void remember(double *shares, memory_fn *memory, int dumps, int noise) {
    double chance = series_uniform(), random[MOST_DUMPS] = {0};
    if (noise != CLEAN) {
        add_noise(random, dumps, (enum kind)noise);
    }
    for (int j = 0; j < dumps; j++) {
        double value = memory(j, dumps, chance);
        shares[j] = value > 0 ? value + random[j] : 0;
    }
}

// The share of series that seem to grow, or with `is_marked` only those with a shape that
// can be marked.
static double share_of(memory_fn *memory, int dumps, double level, int noise,
                       bool is_marked) {
    struct times times = times_of(dumps);
    double found = 0;
    seed_series(900 + (uint64_t)dumps);
    for (int i = 0; i < series(); i++) {
        double shares[MOST_DUMPS];
        remember(shares, memory, dumps, noise);
        struct observed o = observe_shares(shares, dumps, level, 1e-9);
        struct row row = row_of(times, &o, false);
        bool may_be_marked = row.shape == HP_TREND_STEADY || row.shape == HP_TREND_SINCE;
        found += row.rise.p <= alpha && (may_be_marked || !is_marked) ? 1. / series() : 0;
    }
    free_times(times);
    return found;
}

struct quiet {
    const char *name;
    memory_fn *memory;
    int noise;
    double most;
};

static void are_quiet(const struct quiet *all, size_t count, bool is_marked) {
    static const int lengths[] = {24, 30, 100};
    for (size_t i = 0; i < count * 6; i++) {
        const struct quiet *one = &all[i / 6];
        int dumps = lengths[i / 2 % 3];
        double level = i & 1 ? 1e6 : 1e3;
        double share = share_of(one->memory, dumps, level, one->noise, is_marked);
        if (series_asked_for() > 0) {
            fprintf(stderr, "%-26s %3d dumps %.0eR: %s %.3f\n", one->name, dumps, level,
                    is_marked ? "may be marked" : "p <= .05:", share);
        }
        cr_expect_leq(share, one->most + slack(one->most, series()), "%s, %d, %gR: %g",
                      one->name, dumps, level, share);
    }
}

Test(onset, cycles_warm_ups_and_steps_are_no_growth, .timeout = 900) {
    static const struct quiet all[] = {
        {"cycle of .77 spans", cycle_of_three_quarters, CLEAN, .03},
        {"one cycle", one_cycle, CLEAN, .03},
        {"cycle of 1.33 spans", cycle_of_four_thirds, CLEAN, .03},
        {"cycle of 24 dumps", cycle_of_24, CLEAN, .03},
        {"sawtooth of 13 dumps", sawtooth, CLEAN, .03},
        {"warm-up", warm_up, CLEAN, .02},
        {"late warm-up", late_warm_up, CLEAN, .02},
        {"half a cycle + AR .5", half_a_cycle, AR_5, .16},
        {"constant", constant, CLEAN, .03},
        {"step", one_step, CLEAN, .03},
    };
    are_quiet(all, sizeof all / sizeof *all, false);
}

Test(onset, what_has_come_to_rest_is_not_marked, .timeout = 900) {
    static const struct quiet all[] = {
        {"leak that stopped", leak_that_stopped, CLEAN, .05},
        {"ramp of five dumps", ramp_of_five, CLEAN, .05},
        {"step, then a walk", one_step, WALK, .05},
        {"two steps", two_steps, CLEAN, .05},
        {"new row that walks", new_row, WALK, .05},
        {"new row that forgets", new_row, AR_95, .05},
        {"days of differing height", days_of_differing_height, CLEAN, .05},
    };
    are_quiet(all, sizeof all / sizeof *all, true);
}

// --- marks ----------------------------------------------------------------------------------

enum {
    ROWS = 17, // the first one leaks
};

// Marks in a run of ROWS rows.
struct marks {
    bool is_right; // the row that leaks is marked
    double wrong;  // share of the marked rows that do not grow
};

// A row that does not grow: constant, AR .8, a walk or days, in turn.
static struct observed observe_other(int i, int dumps, double level) {
    static const enum kind kinds[] = {AR_8, WALK, DAY_AND_AR};

    double shares[MOST_DUMPS];
    for (int j = 0; j < dumps; j++) {
        shares[j] = 1;
    }
    return i % 4 == 0 ? observe_shares(shares, dumps, level, 0.01)
                      : observe_series(kinds[i % 4 - 1], dumps, level);
}

static struct marks marks_of_run(struct times times, const struct leak *leak) {
    struct row rows[ROWS];
    double q[ROWS], right = 0, wrong = 0;
    for (int i = 0; i < ROWS; i++) {
        struct observed o =
            i == 0 ? observe_leak(leak) : observe_other(i, leak->dumps, leak->level);
        rows[i] = row_of(times, &o, false);
        q[i] = rows[i].rise.p;
    }
    hp_adjust_significance(q, ROWS);
    for (int i = 0; i < ROWS; i++) {
        enum hp_trend_shape shape = rows[i].shape;
        bool is_marked =
            q[i] <= alpha && (shape == HP_TREND_STEADY || shape == HP_TREND_SINCE);
        right += i == 0 && is_marked;
        wrong += i > 0 && is_marked;
    }
    return (struct marks){right > 0, wrong / fmax(right + wrong, 1)};
}

Test(onset, the_row_that_leaks_is_marked_and_few_others_are, .timeout = 900) {
    static const double begins[] = {0.5, 0.75, 0.5, 0.5};
    static const double slopes[] = {0.02, 0.02, 0.04, 0.02};
    static const int noises[] = {CLEAN, CLEAN, AR_8, WALK}, lengths[] = {24, 48, 100};
    static const double least[][3] = {
        {.98, 1, 1}, {0, .93, 1}, {.05, .63, 1}, {.03, .21, .84}};
    for (int i = 0; i < 12; i++) {
        int k = i / 3, runs = series() / 2;
        struct leak leak = {lengths[i % 3], begins[k], slopes[k], 1e4, noises[k], false};
        struct times times = times_of(leak.dumps);
        double right = 0, wrong = 0;
        seed_series(1200 + (uint64_t)i);
        for (int run = 0; run < runs; run++) {
            struct marks marks = marks_of_run(times, &leak);
            right += marks.is_right ? 1. / runs : 0;
            wrong += marks.wrong / runs;
        }
        free_times(times);
        double wanted = fmax(least[k][i % 3] - 0.06, 0);
        if (series_asked_for() > 0) {
            fprintf(stderr, "marks: %d dumps from %g, noise %d: %.3f, wrong %.3f\n",
                    leak.dumps, leak.begins, leak.noise, right, wrong);
        }
        cr_expect_geq(right, wanted - slack(wanted, runs), "%d dumps, noise %d: %g",
                      leak.dumps, leak.noise, right);
        cr_expect_leq(wrong, 0.05 + slack(0.05, runs), "%d dumps, noise %d: %g wrong",
                      leak.dumps, leak.noise, wrong);
    }
}
