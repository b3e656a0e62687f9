// Tests that a series of dumps shows growth for rows of programs that leak, and for no
// others.  The memory is simulated by series.c; each row is observed with or without
// prof_accum.
//
// Each cell has SERIES series.  This runs a thousand series of each cell, prints all
// figures, and takes some minutes:
//
//     TREND_SERIES=1000 build/tests/test-trend -j1
#include "stats/measure.h"
#include "trend_rows.h"
#include "view/trends.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    ROWS = 20, // rows of a run
    LENGTHS = 3,
};

static const int lengths[LENGTHS] = {10, 30, 100};

// --- cells --------------------------------------------------------------------------------

struct trend_cell {
    enum kind kind;
    int dumps;
    double level;
    bool has_lives;
};

// Shares of the series of a cell.
struct trend_shares {
    double growing, covered, marked; // rows that grow, bounds that hold, marked runs
    double shapes[HP_TREND_SHAPES];
    double found;       // rows whose true onset is within the region that was found
    int contradictions; // rows whose bound contradicts their p-value
    int worse;          // rows whose p-value is larger than that of the whole series
};

static void count_row(struct trend_shares *shares, const struct row *row,
                      const struct trend_cell *cell) {
    double share = 1. / series();
    bool is_leak = cell->kind >= LEAK;
    bool grows = row->rise.p < alpha;
    shares->growing += row->rise.p <= alpha ? share : 0;
    shares->covered +=
        row->rise.least <= (is_leak ? leak_of_kind * cell->level : 0) ? share : 0;
    shares->shapes[row->shape] += share;
    shares->contradictions += grows != (row->rise.least > 0);
    shares->worse += row->rise.p > row->whole.p;
    size_t onset = (size_t)onset_of_kind(cell->kind, cell->dumps);
    bool is_inside = row->onset.from <= onset && onset <= row->onset.to;
    shares->found += row->shape == HP_TREND_SINCE && is_inside ? share : 0;
}

static struct trend_shares look_at(struct trend_cell cell) {
    struct trend_shares shares = {0};
    struct times times = times_of(cell.dumps);
    seed_series(1000 * (uint64_t)cell.kind + (uint64_t)cell.dumps);
    for (int i = 0; i < series(); i++) {
        struct observed o = observe_series(cell.kind, cell.dumps, cell.level);
        struct row row = row_of(times, &o, cell.has_lives);
        count_row(&shares, &row, &cell);
    }
    free_times(times);
    if (series_asked_for() > 0) {
        fprintf(stderr,
                "%-20s %3d dumps %.0eR %-5s p <= .05: %.3f  bound holds: %.3f  none %.3f "
                "steady %.3f step %.3f levelled %.3f cycle %.3f since %.3f onset %.3f\n",
                kind_names[cell.kind], cell.dumps, cell.level,
                cell.has_lives ? "accum" : "", shares.growing, shares.covered,
                shares.shapes[HP_TREND_NONE], shares.shapes[HP_TREND_STEADY],
                shares.shapes[HP_TREND_STEP], shares.shapes[HP_TREND_LEVELLED],
                shares.shapes[HP_TREND_CYCLE], shares.shapes[HP_TREND_SINCE],
                shares.found);
    }
    return shares;
}

// Four standard errors of a share at its limit.
static double slack(double share, int count) {
    return 4 * sqrt(share * (1 - share) / count);
}

#define EXPECT_AT_MOST(share, limit, cell)                                    \
    cr_expect_leq(share, (limit) + slack(limit, series()),                    \
                  "%s, %d dumps, %gR, accum %d: %g", kind_names[(cell).kind], \
                  (cell).dumps, (cell).level, (cell).has_lives, share)

#define EXPECT_AT_LEAST(share, limit, cell)                                   \
    cr_expect_geq(share, (limit)-slack(limit, series()),                      \
                  "%s, %d dumps, %gR, accum %d: %g", kind_names[(cell).kind], \
                  (cell).dumps, (cell).level, (cell).has_lives, share)

// --- memory that does not grow ------------------------------------------------------------

// The largest share of rows that may seem to grow.  Half a cycle, and a sawtooth without
// its fall, look like growth to any test; the manual warns of these.
static double most_rows(enum kind kind, int dumps) {
    if (kind == SAWTOOTH_OF_13 && dumps == 10) {
        return 0.36;
    }
    return kind == HALF_A_CYCLE ? 0.22 : kind == WALK_OF_AR_STEPS ? 0.10 : 0.07;
}

static void do_not_grow(int dumps) {
    for (int i = 0; i < NULLS * 4; i++) {
        struct trend_cell cell = {(enum kind)(i / 4), dumps, i & 1 ? 1e6 : 1e3,
                                  (i & 2) != 0};
        struct trend_shares shares = look_at(cell);
        EXPECT_AT_MOST(shares.growing, most_rows(cell.kind, dumps), cell);
        cr_expect_eq(shares.contradictions, 0, "%s: %d", kind_names[cell.kind],
                     shares.contradictions);
        cr_expect_eq(shares.worse, 0, "%s: %d", kind_names[cell.kind], shares.worse);
    }
}

Test(trend, of_10_dumps_that_do_not_grow_is_none, .timeout = 600) {
    do_not_grow(10);
}

Test(trend, of_24_dumps_that_do_not_grow_is_none, .timeout = 600) {
    do_not_grow(24);
}

Test(trend, of_30_dumps_that_do_not_grow_is_none, .timeout = 600) {
    do_not_grow(30);
}

Test(trend, of_100_dumps_that_do_not_grow_is_none, .timeout = 600) {
    do_not_grow(100);
}

// Random walks are hardest to distinguish from growth, and longer ones have more spans
// that are examined.
Test(trend, of_walks_of_48_and_200_dumps_is_none, .timeout = 600) {
    static const enum kind walks[] = {WALK, WALK_AND_WHITE, WALK_OF_T3, WALK_OF_AR_STEPS};

    for (int i = 0; i < 16; i++) {
        struct trend_cell cell = {walks[i / 4], i & 2 ? 200 : 48, i & 1 ? 1e6 : 1e3,
                                  (i & 1) == 0};
        EXPECT_AT_MOST(look_at(cell).growing, most_rows(cell.kind, cell.dumps), cell);
    }
}

// Test one procedure separately: together, one would hide that another fails.  Each must
// hold for the kinds of memory for which it is valid.
static void holds_alone(struct hp_rise (*rise_of)(const struct hp_trend_times *times,
                                                  const double *values),
                        struct trend_cell cell) {
    double share = 0;
    struct times times = times_of(cell.dumps);
    seed_series(99 + (uint64_t)cell.kind);
    for (int i = 0; i < series(); i++) {
        struct observed o = observe_series(cell.kind, cell.dumps, cell.level);
        share += rise_of(times.whole, o.values).p <= alpha ? 1. / series() : 0;
    }
    free_times(times);
    EXPECT_AT_MOST(share, 0.10, cell);
}

Test(trend, line_holds_alone_where_values_are_near_the_ones_before, .timeout = 600) {
    for (int i = 0; i < LENGTHS * 4; i++) {
        struct trend_cell cell = {(enum kind)(AR_5 + i % 4), lengths[i / 4], 1e6, false};
        holds_alone(hp_trend_of_line, cell);
    }
}

Test(trend, parts_hold_alone_where_values_are_no_process_of_one_kind, .timeout = 600) {
    for (int i = 0; i < LENGTHS * 2; i++) {
        struct trend_cell cell = {(enum kind)(WALK_AND_WHITE + i % 2), lengths[i / 2],
                                  1e6, false};
        holds_alone(hp_trend_of_parts, cell);
    }
}

// Whether a run of ROWS rows has one that is marked as growing.
static bool run_is_marked(struct times times, struct trend_cell cell) {
    double q[ROWS];
    struct row rows[ROWS];
    for (int i = 0; i < ROWS; i++) {
        struct observed o = observe_series(cell.kind, cell.dumps, cell.level);
        rows[i] = row_of(times, &o, cell.has_lives);
        q[i] = rows[i].rise.p;
    }
    hp_adjust_significance(q, ROWS);
    bool found = false;
    for (int i = 0; i < ROWS; i++) {
        bool is_marked =
            rows[i].shape == HP_TREND_STEADY || rows[i].shape == HP_TREND_SINCE;
        found |= is_marked && q[i] <= alpha;
    }
    return found;
}

// Check that few runs have a marked row.  There are a fifth as many runs as series
// elsewhere.
static void leave_unmarked(struct trend_cell cell) {
    int runs = series() / 5, marked = 0;
    struct times times = times_of(cell.dumps);
    seed_series(77 + (uint64_t)cell.kind);
    for (int i = 0; i < runs; i++) {
        marked += run_is_marked(times, cell);
    }
    free_times(times);
    double share = (double)marked / runs;
    if (series_asked_for() > 0) {
        fprintf(stderr, "%-20s %3d dumps %.0eR %-5s runs with a marked row: %.3f\n",
                kind_names[cell.kind], cell.dumps, cell.level,
                cell.has_lives ? "accum" : "", share);
    }
    bool is_like_growth = cell.kind == HALF_A_CYCLE || cell.kind == WALK_OF_AR_STEPS;
    double most = is_like_growth ? 0.16 : 0.08;
    cr_expect_leq(share, most + slack(most, runs), "%s, %d dumps, %gR, accum %d: %g",
                  kind_names[cell.kind], cell.dumps, cell.level, cell.has_lives, share);
}

Test(trend, runs_of_twenty_rows_have_no_marked_one, .timeout = 600) {
    for (int i = 0; i < NULLS * 4 * LENGTHS; i++) {
        struct trend_cell cell = {(enum kind)(i / 12), lengths[i / 4 % 3],
                                  i & 1 ? 1e6 : 1e3, (i & 2) != 0};
        bool is_indistinguishable = cell.kind == SAWTOOTH_OF_13 && cell.dumps == 10;
        if (!is_indistinguishable && (series_asked_for() > 0 || (i & 3) == 1)) {
            leave_unmarked(cell);
        }
    }
}

// --- leaks --------------------------------------------------------------------------------

static void is_found(struct trend_cell cell, double least) {
    struct trend_shares shares = look_at(cell);
    EXPECT_AT_LEAST(shares.growing, least, cell);
    EXPECT_AT_LEAST(shares.covered, 0.94, cell);
    cr_expect_eq(shares.worse, 0, "%s: %d", kind_names[cell.kind], shares.worse);
    EXPECT_AT_MOST(shares.shapes[HP_TREND_STEP], cell.dumps == 10 ? 0.06 : 0.02, cell);
    EXPECT_AT_MOST(shares.shapes[HP_TREND_LEVELLED], 0.10, cell);
    EXPECT_AT_MOST(shares.shapes[HP_TREND_CYCLE], 0.02, cell);
    cr_expect_eq(shares.contradictions, 0, "%s: %d", kind_names[cell.kind],
                 shares.contradictions);
}

Test(trend, of_a_leak_is_found, .timeout = 600) {
    for (int accum = 0; accum < 2; accum++) {
        bool a = accum != 0;
        is_found((struct trend_cell){LEAK, 10, 1e6, a}, 0.99);
        is_found((struct trend_cell){LEAK, 10, 1e3, a}, 0);
        is_found((struct trend_cell){LEAK, 30, 1e3, a}, 0.93);
        is_found((struct trend_cell){LEAK, 100, 1e3, a}, 0.99);
        is_found((struct trend_cell){LEAK_AND_AR, 10, 1e3, a}, 0);
        is_found((struct trend_cell){LEAK_AND_AR, 30, 1e3, a}, 0.27);
        is_found((struct trend_cell){LEAK_AND_AR, 100, 1e3, a}, 0.97);
        is_found((struct trend_cell){LEAK_AND_WHITE, 10, 1e3, a}, 0);
        is_found((struct trend_cell){LEAK_AND_WHITE, 30, 1e3, a}, 0.42);
        is_found((struct trend_cell){LEAK_AND_WHITE, 100, 1e3, a}, 0.99);
    }
}

// --- since when -----------------------------------------------------------------------------

static void is_found_since(struct trend_cell cell, double least, double inside) {
    struct trend_shares shares = look_at(cell);
    EXPECT_AT_LEAST(shares.growing, least, cell);
    EXPECT_AT_LEAST(shares.covered, 0.96, cell);
    cr_expect_eq(shares.contradictions, 0);
    if (shares.shapes[HP_TREND_SINCE] > 0.1) {
        double share = shares.found / shares.shapes[HP_TREND_SINCE];
        cr_expect_geq(share, inside, "%s, %d dumps, %gR: %g", kind_names[cell.kind],
                      cell.dumps, cell.level, share);
    }
}

Test(trend, a_leak_that_begins_in_mid_series_is_found, .timeout = 600) {
    is_found_since((struct trend_cell){LATE_LEAK, 24, 1e6, false}, 1, 0.95);
    is_found_since((struct trend_cell){NEW_LEAK, 24, 1e6, false}, 1, 0.80);
    for (int a = 0; a < 2; a++) {
        is_found_since((struct trend_cell){LATE_LEAK, 30, 1e3, a}, 0.34, 0.80);
        is_found_since((struct trend_cell){LATE_LEAK, 100, 1e3, a}, 0.92, 0.88);
        is_found_since((struct trend_cell){LATE_LEAK_AND_AR, 100, 1e6, a}, 0.48, 0.88);
        is_found_since((struct trend_cell){LATE_LEAK_AND_WHITE, 100, 1e6, a}, 0.76, 0.88);
        is_found_since((struct trend_cell){NEW_LEAK, 100, 1e3, a}, 0.95, 0.80);
    }
}

Test(trend, a_warm_up_is_no_growth_since_its_middle, .timeout = 600) {
    for (int i = 0; i < 4; i++) {
        struct trend_cell cell = {WARM_UP, lengths[1 + i / 2], i & 1 ? 1e6 : 1e3, false};
        EXPECT_AT_MOST(look_at(cell).growing, 0.02, cell);
    }
}

Test(trend, of_fewer_than_11_dumps_only_the_whole_series_is_looked_at, .timeout = 600) {
    struct times times = times_of(10);
    seed_series(5);
    for (int i = 0; i < series(); i++) {
        struct observed o = observe_series(i % 2 ? LEAK : LATE_LEAK, 10, 1e4);
        struct row row = row_of(times, &o, false);
        cr_expect_eq(row.rise.p, row.whole.p);
        cr_expect_not(row.onset.is_since);
    }
    free_times(times);
}

enum {
    LONG = 60,
};

// Find the onset in a series of values, where the p-value of sampling is `p` in all
// spans.
static struct hp_onset onset_at(double p, double (*value)(int)) {
    struct times times = times_of(LONG);
    struct hp_rise sampling[HP_ONSET_SPANS];
    double values[LONG];
    for (int j = 0; j < LONG; j++) {
        values[j] = value(j) + (j * 7 % 5 - 2) * 0.01;
    }
    for (int i = 0; i < HP_ONSET_SPANS; i++) {
        sampling[i] = (struct hp_rise){p, 1e-9};
    }
    struct hp_rise whole = {1, -INFINITY};
    struct hp_onset onset =
        hp_onset_find(times.onsets, values, rise_in_span, sampling, whole);
    free_times(times);
    return onset;
}

static double rising_since_30(int j) {
    return 100 + fmax(j - 30, 0);
}

static double rising_since_51(int j) {
    return 100 + 0.28 * fmax(j - 51, 0);
}

static double rising_out_of_noise(int j) {
    return rising_since_51(j) + (j > 51 ? 0 : (5 * j + j / 3) % 2 ? 2 : -2);
}

static double warming_up_since_30(int j) {
    return j > 30 ? 100 - 50 * expm1((30 - j) / (0.4 * 29)) : 100;
}

static double rising_again(int j) {
    return j == 12 ? 130 : rising_since_30(j);
}

Test(trend, the_choice_of_the_last_dumps_is_paid_for) {
    struct hp_onset onset = onset_at(0.01, rising_since_30);
    cr_expect(onset.is_since);
    cr_expect_float_eq(onset.rise.p, 0.03, 1e-12, "%g", onset.rise.p);
    cr_expect_eq(onset.dump, 30);
    cr_expect_not(onset_at(0.02, rising_since_30).is_since);
}

// The dumps before the onset show how values fluctuate.
Test(trend, noise_before_the_onset_makes_it_less_sure) {
    struct hp_onset quiet = onset_at(0, rising_since_51);
    struct hp_onset noisy = onset_at(0, rising_out_of_noise);
    cr_expect(quiet.is_since && noisy.is_since);
    cr_expect_gt(noisy.rise.p, 5 * quiet.rise.p, "%g, %g", noisy.rise.p, quiet.rise.p);
}

Test(trend, a_warm_up_that_begins_late_is_no_growth) {
    cr_expect_not(onset_at(0, warming_up_since_30).is_since);
}

Test(trend, a_rise_to_where_values_were_before_is_no_growth) {
    cr_expect(onset_at(0, rising_since_30).is_since);
    cr_expect_not(onset_at(0, rising_again).is_since);
}

// There are too few dumps for a claim: the steps are reported, but the row is not marked.
Test(trend, a_rise_in_each_of_the_last_steps_is_said, .timeout = 600) {
    struct times times = times_of(12);
    struct observed o = {.dumps = 12};
    for (int j = 0; j < 12; j++) {
        o.values[j] = 1000 + (j > 5 ? 300 * (j - 5) : 10 * ((j + 1) % 2));
    }
    struct row row = row_of(times, &o, false);
    cr_expect_eq(row.onset.steps, 6, "%u", row.onset.steps);
    cr_expect_not(row.onset.is_since);
    o.values[9] = o.values[8];
    cr_expect_eq(row_of(times, &o, false).onset.steps, 0);
    free_times(times);
}

// --- shapes -------------------------------------------------------------------------------

Test(trend, shape_of_a_step_is_seen, .timeout = 600) {
    static const double least[LENGTHS] = {0.90, 0.90, 0.86};
    for (int i = 0; i < LENGTHS; i++) {
        struct trend_cell cell = {STEP, lengths[i], 1e3, false};
        EXPECT_AT_LEAST(look_at(cell).shapes[HP_TREND_STEP], least[i], cell);
        cell.level = 1e5;
        EXPECT_AT_LEAST(look_at(cell).shapes[HP_TREND_STEP], 0.98, cell);
    }
}

Test(trend, shape_of_a_warm_up_is_seen, .timeout = 600) {
    for (int i = 0; i < LENGTHS * 2; i++) {
        struct trend_cell cell = {WARM_UP, lengths[i / 2], i & 1 ? 1e6 : 1e3, false};
        EXPECT_AT_LEAST(look_at(cell).shapes[HP_TREND_LEVELLED], 0.95, cell);
    }
}

Test(trend, shape_of_a_cycle_is_seen_after_three, .timeout = 600) {
    for (int i = 0; i < 4; i++) {
        struct trend_cell cell = {CYCLE_OF_7, lengths[1 + i / 2], i & 1 ? 1e6 : 1e3,
                                  false};
        EXPECT_AT_LEAST(look_at(cell).shapes[HP_TREND_CYCLE], 0.95, cell);
    }
}

// A steady shape is a line that continues.  A wave before its top is not steady once its
// bend is visible.
Test(trend, shape_of_a_leak_is_steady_and_of_half_a_cycle_is_not, .timeout = 600) {
    static const double least[LENGTHS] = {0, 0.60, 0.90};
    for (int i = 0; i < LENGTHS; i++) {
        struct trend_cell cell = {LEAK, lengths[i], 1e3, false};
        EXPECT_AT_LEAST(look_at(cell).shapes[HP_TREND_STEADY], least[i], cell);
        cell.level = 1e6;
        EXPECT_AT_LEAST(look_at(cell).shapes[HP_TREND_STEADY], 0.99, cell);
        cell.kind = HALF_A_CYCLE;
        EXPECT_AT_MOST(look_at(cell).shapes[HP_TREND_STEADY], 0.01, cell);
        cell.level = 1e3;
        EXPECT_AT_MOST(look_at(cell).shapes[HP_TREND_STEADY], 0.03, cell);
    }
}

Test(trend, shape_of_walks_is_none, .timeout = 600) {
    static const double most_steps[LENGTHS] = {0.06, 0.02, 0.02};

    static const enum kind kinds[] = {
        WHITE_NOISE,     AR_5, AR_8, AR_95, WALK, WALK_AND_WHITE, AR_95_AND_WHITE,
        WALK_OF_AR_STEPS};

    for (int i = 0; i < LENGTHS * 8; i++) {
        struct trend_cell cell = {kinds[i / LENGTHS], lengths[i % LENGTHS], 1e6, false};
        struct trend_shares shares = look_at(cell);
        EXPECT_AT_MOST(shares.shapes[HP_TREND_STEP], most_steps[i % LENGTHS], cell);
        EXPECT_AT_MOST(shares.shapes[HP_TREND_LEVELLED], 0.10, cell);
        EXPECT_AT_MOST(shares.shapes[HP_TREND_CYCLE], 0.05, cell);
    }
}

// --- the report ---------------------------------------------------------------------------

enum {
    R = 4096,
};

// Make a profile of dumps of one process, with a stack for each row.
static void make_profile(struct hp_profile *profile, const struct observed *rows,
                         uint32_t count) {
    hp_profile_init(profile);
    profile->history.is_kept = true;
    for (int j = 0; j < rows[0].dumps; j++) {
        struct hp_input_record record = {
            .public = {.name = "process.7"},
            .number = (uint32_t)j,
            .period = R,
            .identity = {.series = 7, .number = (uint64_t)j, .kind = 'i'},
        };
        hp_history_begin(&profile->history);
        for (uint32_t i = 0; i < count; i++) {
            double samples = rows[i].values[j];
            struct hp_error error = {.samples = (uint64_t)samples,
                                     .variance = (hp_int128)(samples * R * R),
                                     .period = R,
                                     .max_weight = R};
            const struct hp_error *errors[HP_COLUMNS] = {&error, NULL};
            struct hp_values values = {
                {[HP_INUSE_SPACE] = (hp_fixed)(samples * R)
                                    << hp_fraction(HP_INUSE_SPACE)}};
            hp_frame_id frame =
                hp_profile_frame(profile, (hp_module_id){0}, 4096 * (i + 1));
            uint32_t stack = hp_profile_add(profile, &(struct hp_sample){&frame, 1, {0}},
                                            &values, errors);
            hp_history_put(&profile->history, stack, &values, errors);
            record.total.of[HP_INUSE_SPACE] += values.of[HP_INUSE_SPACE];
        }
        hp_history_end(&profile->history, record.number);
        hp_vec_push(&profile->inputs.records, record);
    }
}

static struct hp_view *view_of(struct hp_profile *profile) {
    struct hp_report_options options = {.kind = HP_REPORT_TREND,
                                        .confidence = confidence};
    struct hp_view_use use = {.shape = HP_SHAPE_ROWS, .can = HP_CAN_INTERVALS};
    struct hp_err err = {0};
    hp_history_sort(&profile->history);
    hp_inputs_summarize(&profile->inputs);
    struct hp_view *view = hp_view_build(profile, &options, use, &err);
    cr_assert_not_null(view, "%s", err.message);
    return view;
}

static double change_of(const struct hp_trend_row *row) {
    return fabs((double)(row->last - row->first));
}

static void rows_are_in_order(const struct hp_trends *trend, int marked[2]) {
    for (size_t i = 0; i < trend->rows.count; i++) {
        const struct hp_trend_row *row = trend->rows.at[i];
        marked[row->is_significant]++;
        if (i + 1 < trend->rows.count) {
            const struct hp_trend_row *next = trend->rows.at[i + 1];
            cr_expect(row->is_significant > next->is_significant ||
                          (row->is_significant == next->is_significant &&
                           change_of(row) >= change_of(next)),
                      "row %zu", i);
        }
        cr_expect_eq(row->rise.p<alpha, row->rise.least> 0, "p %g, at least %g",
                     row->rise.p, row->rise.least);
        cr_expect(row->shape == HP_TREND_SINCE || row->rise.p >= row->sampling.p);
    }
}

Test(trend, rows_are_ordered_by_marks_and_then_by_change) {
    int marked[2] = {0, 0};
    seed_series(5);
    for (int run = 0; run < 10; run++) {
        struct observed rows[ROWS];
        struct hp_profile profile;
        for (int i = 0; i < ROWS; i++) { // smaller rows leak with more certainty
            enum kind kind = i % 4 ? WALK : LEAK_AND_AR;
            rows[i] = observe_series(kind, MOST_DUMPS, 1e3 * (i + 1));
        }
        make_profile(&profile, rows, ROWS);
        struct hp_view *view = view_of(&profile);
        rows_are_in_order(view->extra, marked);
        hp_view_free(view);
        hp_profile_done(&profile);
    }
    cr_assert(marked[false] > 50 && marked[true] > 30, "%d not, %d marked", marked[false],
              marked[true]);
}

// The second row certainly grows, but it is recognized as a cycle.
Test(trend, rows_that_are_cycles_are_not_marked) {
    static const double swing[] = {0, -95, -59, 59, 95};
    struct observed rows[2] = {{.dumps = 40}, {.dumps = 40}};
    struct hp_profile profile;
    for (int j = 0; j < 40; j++) {
        rows[0].values[j] = 1000 + 4 * j + swing[j % 5];
        rows[1].values[j] = 1000 + 20 * j + swing[j % 5];
    }
    make_profile(&profile, rows, 2);
    struct hp_view *view = view_of(&profile);
    const struct hp_trends *trend = view->extra;
    cr_expect_eq(trend->rows.at[0]->shape, HP_TREND_STEADY);
    cr_expect(trend->rows.at[0]->is_significant);
    cr_expect_eq(trend->rows.at[1]->shape, HP_TREND_CYCLE);
    cr_expect_leq(trend->rows.at[1]->q, 0.05, "%g", trend->rows.at[1]->q);
    cr_expect_not(trend->rows.at[1]->is_significant);
    hp_view_free(view);
    hp_profile_done(&profile);
}
