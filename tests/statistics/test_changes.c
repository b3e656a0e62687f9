// The tests of docs/explanation/statistics.md for two dumps of one process, series of
// dumps, and fleets, by way of the history of a profile and the views of `diff` and
// `trend`.  Objects have 64 bytes, and R is 4096.  The seeds are fixed; |z| < 6 would
// fail for two of 10^9 seeds.
#include "calc/uncertainty.h"
#include "sim/binomial.h"
#include "view/difference.h"
#include "view/spread.h"
#include "view/trends.h"

#include <criterion/criterion.h>
#include <math.h>

enum {
    R = 4096,
    SIZE = 64,
    PER_R = R / SIZE, // objects in a sample period of bytes
    RUNS = 20000,
    SERIES = 4000,
    MOST_DUMPS = 30,
};

static const double alphas[] = {0.05, 0.01, 0.001};
static struct hps_random rng;

static double probability(void) {
    return -expm1(-(double)SIZE / R);
}

// The number of sampled objects among those that hold `rs` times R bytes.
static uint64_t sample(double rs) {
    return hps_binomial(&rng, (uint64_t)(rs * PER_R + 0.5), probability());
}

// --- a profile of one stack -----------------------------------------------------------------

static hp_fixed fixed(double value, enum hp_metric metric) {
    return (hp_fixed)(value * (double)((uint64_t)1 << hp_fraction(metric)));
}

static void start(struct hp_profile *profile) {
    hp_profile_init(profile);
    profile->history.is_kept = true;
}

// Add a dump in which `inuse` objects in use were sampled.  `ever` is the number of
// sampled objects including freed ones; 0 for a dump without them.
static void add_dump(struct hp_profile *profile, bool is_base, uint64_t inuse,
                     uint64_t ever) {
    bool too_big = false;
    double p = probability();
    struct hp_error of_inuse = hp_error_of_one_size(inuse, SIZE, p, R, &too_big);
    struct hp_error of_ever = hp_error_of_one_size(ever, SIZE, p, R, &too_big);
    const struct hp_error *errors[HP_COLUMNS] = {&of_inuse, ever ? &of_ever : NULL};
    struct hp_values values = {{
        [HP_INUSE_SPACE] = fixed((double)inuse * SIZE / p, HP_INUSE_SPACE),
        [HP_INUSE_OBJECTS] = fixed((double)inuse / p, HP_INUSE_OBJECTS),
        [HP_ALLOC_SPACE] = fixed((double)ever * SIZE / p, HP_ALLOC_SPACE),
        [HP_ALLOC_OBJECTS] = fixed((double)ever / p, HP_ALLOC_OBJECTS),
    }};
    struct hp_input_record record = {
        .public = {.name = "process.7"},
        .number = (uint32_t)profile->inputs.records.count,
        .is_base = is_base,
        .period = R,
        .identity = {.series = 7, .number = profile->inputs.records.count, .kind = 'i'},
        .total = values,
    };
    if (ever) {
        hp_profile_set_alloc(profile);
    }
    hp_frame_id frame = hp_profile_frame(profile, (hp_module_id){0}, 4096);
    uint32_t stack =
        hp_profile_add(profile, &(struct hp_sample){&frame, 1, {0}}, &values, errors);
    hp_history_begin(&profile->history);
    hp_history_put(&profile->history, stack, &values, errors);
    hp_history_end(&profile->history, record.number);
    hp_vec_push(&profile->inputs.records, record);
}

// A report of all dumps that were added.  The caller frees it, and then the profile.
static struct hp_view *view_of(struct hp_profile *profile, enum hp_report_kind kind) {
    struct hp_report_options options = {.kind = kind};
    struct hp_err err = {0};
    hp_history_sort(&profile->history);
    hp_inputs_summarize(&profile->inputs);
    profile->keeps.history = true;
    struct hp_view *view = hp_view_new(profile, &options, &err);
    cr_assert_not_null(view, "%s", err.message);
    return view;
}

// The total change in a report of differences, which must use this test.  Frees the
// profile.
static struct hp_change compare(struct hp_profile *profile,
                                enum hp_difference_test test) {
    struct hp_view *view = view_of(profile, HP_REPORT_DIFF);
    const struct hp_difference *difference = view->extra;
    cr_assert_eq(difference->test, test);
    struct hp_change total = difference->total;
    hp_view_free(view);
    hp_profile_done(profile);
    return total;
}

// --- two dumps of one process ----------------------------------------------------------------

// Memory in units of R: live in both dumps, freed between them, new in the second one,
// and both allocated and freed between them.
struct life {
    double kept, freed, fresh, between;
};

struct sample_counts {
    uint64_t kept, freed, fresh, between;
};

static struct sample_counts draw(struct life life) {
    return (struct sample_counts){sample(life.kept), sample(life.freed),
                                  sample(life.fresh), sample(life.between)};
}

static struct hp_change two_dumps(struct sample_counts n, bool accum) {
    struct hp_profile profile;
    uint64_t before = n.kept + n.freed, after = n.kept + n.fresh;
    start(&profile);
    add_dump(&profile, true, before, accum ? before : 0);
    add_dump(&profile, false, after, accum ? before + n.fresh + n.between : 0);
    bool has_freed = accum && before > 0;
    return compare(&profile, has_freed ? HP_TEST_PROCESS_ACCUM : HP_TEST_PROCESS);
}

struct rates {
    double below[3]; // share of runs whose p-value is at most each of the alphas
    double covered;  // share of runs whose interval contains the true change
};

static struct rates run(struct life life, bool accum) {
    struct rates rates = {{0}, 0};
    double truth = (life.fresh - life.freed) * R;
    for (int i = 0; i < RUNS; i++) {
        struct hp_change change = two_dumps(draw(life), accum);
        for (int a = 0; a < 3; a++) {
            rates.below[a] += (change.growth_p <= alphas[a]) / (double)RUNS;
        }
        struct hp_interval range = hp_change_range(&change, 0.95);
        rates.covered += (range.low <= truth && truth <= range.high) / (double)RUNS;
    }
    return rates;
}

static double slack(double share, double runs) {
    return 6 * sqrt(share * (1 - share) / runs);
}

Test(changes, one_process_is_not_said_to_grow_when_it_does_not, .timeout = 100) {
    static const struct life lives[] = {
        {50, 0, 0, 0},   {45, 5, 5, 0},    {0.001, 50, 50, 0},
        {50, 0, 0, 100}, {40, 10, 10, 20},
    };
    hps_random_init(&rng, 14);
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++) {
        for (int accum = 0; accum < 2; accum++) {
            struct rates rates = run(lives[i], accum);
            for (int a = 0; a < 3; a++) {
                cr_expect_leq(rates.below[a], alphas[a] + slack(alphas[a], RUNS),
                              "life %zu, accum %d, p <= %g: %g", i, accum, alphas[a],
                              rates.below[a]);
            }
            cr_expect_geq(rates.covered, 0.95 - slack(0.95, RUNS),
                          "life %zu, accum %d: %g", i, accum, rates.covered);
        }
    }
}

Test(changes, a_leak_of_10_periods_in_50_is_found_with_prof_accum, .timeout = 100) {
    hps_random_init(&rng, 15);
    struct rates with = run((struct life){50, 0, 10, 0}, true);
    struct rates without = run((struct life){50, 0, 10, 0}, false);
    struct rates large = run((struct life){500, 0, 10, 0}, true);
    cr_expect_geq(with.below[0], 0.95, "%g", with.below[0]);
    cr_expect_geq(large.below[0], 0.95, "%g", large.below[0]);
    cr_expect_geq(with.covered, 0.95 - slack(0.95, RUNS), "%g", with.covered);
    cr_expect_leq(without.below[0], 0.02, "%g", without.below[0]);
}

// If nothing was freed, the p-value that assumes it must equal the one with prof_accum.
Test(changes, p_if_nothing_was_freed_is_what_prof_accum_would_give) {
    hps_random_init(&rng, 16);
    for (int i = 0; i < 500; i++) {
        struct sample_counts n = draw((struct life){50, 0, 10, 0});
        double assumed = two_dumps(n, false).least_growth_p;
        double known = hp_two_sided(two_dumps(n, true).growth_p, 1);
        cr_expect(fabs(assumed - known) <= 1e-6 * known + 1e-12, "%g %g", assumed, known);
    }
}

// --- slopes ---------------------------------------------------------------------------------

struct series {
    int dumps;
    double base;     // R in each dump; between dumps as much is freed as is allocated
    double lifetime; // of the objects of `base`, in intervals between dumps
    double leak;     // R per interval
};

// Find the number of sampled objects that are live in each dump.
static void live(struct series s, uint64_t alive[MOST_DUMPS]) {
    int span = (int)s.lifetime;
    uint64_t leaked = 0;
    for (int j = 0; j < s.dumps; j++) {
        leaked += sample(s.leak);
        alive[j] = leaked;
    }
    for (int birth = 1 - span; birth < s.dumps; birth++) { // also before the first dump
        uint64_t n = sample(s.base / s.lifetime);
        for (int j = birth < 0 ? 0 : birth; j < s.dumps && j < birth + span; j++) {
            alive[j] += n;
        }
    }
}

static double slope_p(struct series s) {
    uint64_t alive[MOST_DUMPS];
    struct hp_profile profile;
    live(s, alive);
    start(&profile);
    profile.inputs.have_times = true;
    for (int j = 0; j < s.dumps; j++) {
        add_dump(&profile, false, alive[j], 0);
        profile.inputs.records.at[j].identity.time = 3600 * j;
    }
    struct hp_view *view = view_of(&profile, HP_REPORT_TREND);
    const struct hp_trend *trend = ((const struct hp_trends *)view->extra)->of;
    cr_assert_eq(trend->dumps, (size_t)s.dumps);
    double p = trend->total.sampling.p;
    hp_view_free(view);
    hp_profile_done(&profile);
    return p;
}

static double share_of_slopes(struct series series) {
    double below = 0;
    for (int i = 0; i < SERIES; i++) {
        below += slope_p(series) <= 0.05;
    }
    return below / SERIES;
}

Test(changes, a_series_that_does_not_grow_has_no_slope, .timeout = 200) {
    hps_random_init(&rng, 17);
    for (int m = 0; m < 3; m++) {
        int dumps = (const int[]){5, 10, MOST_DUMPS}[m];
        for (int k = 0; k < 4; k++) {
            double lifetime = (const double[]){1, 5, 15, 100}[k];
            double share = share_of_slopes((struct series){dumps, 30, lifetime, 0});
            cr_expect_leq(share, 0.05 + slack(0.05, SERIES), "%d dumps, lifetime %g: %g",
                          dumps, lifetime, share);
        }
    }
}

Test(changes, a_leak_of_a_period_a_dump_is_found_in_thirty_dumps, .timeout = 100) {
    hps_random_init(&rng, 18);
    double share = share_of_slopes((struct series){MOST_DUMPS, 3, 100, 1});
    cr_expect_geq(share, 0.99, "%g", share);
}

// --- fleets ---------------------------------------------------------------------------------

// The memory of a host in units of R: `mean` times a log-normal factor of mean 1 and
// standard deviation `cv`.
static double host(double mean, double cv) {
    double sigma = sqrt(log1p(cv * cv));
    double u = hps_random_unit(&rng), v = hps_random_unit(&rng);
    double normal = sqrt(-2 * log(u)) * cos(2 * acos(-1.0) * v);
    return mean * exp(sigma * normal - sigma * sigma / 2);
}

static double fleet_p(int hosts[2], double mean, double cv, double growth) {
    struct hp_profile profile;
    start(&profile);
    for (int i = 0; i < hosts[0] + hosts[1]; i++) {
        bool is_base = i < hosts[0];
        add_dump(&profile, is_base, sample(host(is_base ? mean : mean * growth, cv)), 0);
    }
    return compare(&profile, HP_TEST_FLEETS).growth_p;
}

static double share_of_fleets(int hosts[2], double mean, double cv, double growth) {
    double below = 0;
    for (int i = 0; i < SERIES; i++) {
        below += fleet_p(hosts, mean, cv, growth) <= 0.05;
    }
    return below / SERIES;
}

Test(changes, fleets_that_differ_by_themselves_are_not_said_to_grow, .timeout = 200) {
    hps_random_init(&rng, 19);
    for (int h = 0; h < 3; h++) {
        int hosts[2] = {(const int[]){3, 10, 30}[h], (const int[]){3, 10, 30}[h]};
        for (int k = 0; k < 6; k++) {
            double mean = (const double[]){0.1, 1, 10}[k % 3], cv = k < 3 ? 0 : 0.5;
            double share = share_of_fleets(hosts, mean, cv, 1);
            cr_expect_leq(share, 0.05 + slack(0.05, SERIES), "%d hosts, %g R, cv %g: %g",
                          hosts[0], mean, cv, share);
        }
    }
}

Test(changes, a_fleet_that_has_doubled_is_found, .timeout = 100) {
    hps_random_init(&rng, 20);
    int hosts[2] = {30, 30};
    double share = share_of_fleets(hosts, 1, 0.5, 2);
    cr_expect(fabs(share - 0.85) < 0.06, "%g", share);
}

static struct hp_spread spread_of(int hosts, double mean, double cv, double last) {
    struct hp_filters no_filters = {0};
    struct hp_profile profile;
    struct hp_view view = {
        .head.summary = profile.inputs.summary,
        .profile = &profile,
        .options = {.confidence = 0.95, .frames.fold = HP_FRAMES_ALL},
    };
    struct hp_spread spread;
    start(&profile);
    for (int i = 0; i < hosts; i++) {
        double of = i == hosts - 1 ? mean * last : host(mean, cv);
        add_dump(&profile, false, sample(of), 0);
    }
    hp_history_sort(&profile.history);
    struct hp_err err;
    cr_assert_eq(hp_naming_init(&view.naming, &profile, &no_filters, &view.options, &err),
                 HP_OK);
    hp_spread_init(&spread, &view);
    hp_naming_done(&view.naming);
    hp_profile_done(&profile);
    return spread;
}

Test(changes, spread_is_what_hosts_have_beyond_sampling, .timeout = 100) {
    hps_random_init(&rng, 21);
    double sum = 0, squares = 0, differ = 0;
    for (int i = 0; i < SERIES; i++) {
        struct hp_spread spread = spread_of(30, 20, 0.25, 1);
        double variance = spread.total.sd * spread.total.sd / R / R;
        sum += variance;
        squares += variance * variance;
        hp_spread_done(&spread);
        spread = spread_of(30, 3, 0, 1);
        differ += spread.total.p <= 0.05;
        hp_spread_done(&spread);
    }
    // The last host is exactly at the mean, so that the variance of 25 is that of 29 of
    // 30.
    double mean = sum / SERIES, error = sqrt((squares / SERIES - mean * mean) / SERIES);
    double truth = 25 * 29. / 30;
    cr_expect(fabs(mean - truth) <= 6 * error, "%g, %g expected", mean, truth);
    cr_expect_leq(differ / SERIES, 0.05 + slack(0.05, SERIES), "%g", differ / SERIES);
    cr_expect_geq(differ / SERIES, 0.02, "%g", differ / SERIES);
}

Test(changes, a_host_stands_out_when_it_does_and_hardly_otherwise, .timeout = 100) {
    hps_random_init(&rng, 22);
    double alarms = 0, found = 0;
    for (int i = 0; i < SERIES; i++) {
        struct hp_spread spread = spread_of(20, 10, 0, 1);
        alarms += spread.outliers.count > 0;
        hp_spread_done(&spread);
        spread = spread_of(20, 10, 0.25, 4);
        found += spread.outliers.count == 1 && spread.outliers.at[0].input == 19;
        hp_spread_done(&spread);
    }
    cr_expect_leq(alarms / SERIES, 0.05 + slack(0.05, SERIES), "%g", alarms / SERIES);
    cr_expect_geq(found / SERIES, 0.9, "%g", found / SERIES);
}
