// Tests that the bounds of the surviving share, and the interval of a turnover, hold as
// often as they promise.  The simulated programs allocate in steady and in unsteady ways,
// and are dumped ten times while 100 units are allocated.  Objects are so small that each
// sampled one represents one sample period.
//
// LIFETIME_SERIES=2000 makes more runs of each cell than the default, and prints all
// figures.
#include "stats/lifetime.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum {
    DUMPS = 10,
    WINDOW = 100, // units of time between the first and the last dump
    PERIOD = 1 << 19,
};

enum lifetime {
    EXPONENTIAL,
    FIXED,
    BIMODAL, // 99 of 100 objects live a tenth of the mean, one lives 90.1 times the mean
    FOREVER,
};

enum start {
    LONG_AGO,
    JUST_NOW,
    BURSTS_IN_PHASE, // allocations in a tenth of the time, just before each dump
    BURSTS_IN_PAUSE, // allocations in a tenth of the time, just after each dump
};

static const struct lifetime_cell {
    const char *name;
    enum lifetime lifetime;
    double mean;
    enum start start;
    bool is_steady; // the interval of a turnover, if known, must contain the true ratio
} cells[] = {
    {"exponential .2", EXPONENTIAL, .2, LONG_AGO, true},
    {"exponential 5", EXPONENTIAL, 5, LONG_AGO, true},
    {"exponential 50", EXPONENTIAL, 50, LONG_AGO, true},
    {"fixed 5", FIXED, 5, LONG_AGO, true},
    {"fixed 50", FIXED, 50, LONG_AGO, true},
    {"bimodal 5", BIMODAL, 5, LONG_AGO, true},
    {"forever", FOREVER, 0, JUST_NOW, false},
    {"just started 5", EXPONENTIAL, 5, JUST_NOW, false},
    {"just started bimodal 5", BIMODAL, 5, JUST_NOW, false},
    {"bursts in phase", EXPONENTIAL, 1, BURSTS_IN_PHASE, false},
    {"bursts in the pause", EXPONENTIAL, 1, BURSTS_IN_PAUSE, false},
};

static uint64_t state;

static double draw(void) { // above 0, below 1
    state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ z >> 31) >> 12) + 0.5) * 0x1p-52;
}

static double draw_lifetime(const struct lifetime_cell *cell) {
    bool is_long = draw() < .01;
    return cell->lifetime == EXPONENTIAL ? -cell->mean * log(draw())
           : cell->lifetime == FIXED     ? cell->mean
           : cell->lifetime == BIMODAL   ? cell->mean * (is_long ? 90.1 : .1)
                                         : INFINITY;
}

// The share of objects that live longer than `age`.
static double outlives(const struct lifetime_cell *cell, double age) {
    return cell->lifetime == EXPONENTIAL ? exp(-age / cell->mean)
           : cell->lifetime == FIXED     ? age < cell->mean
           : cell->lifetime == BIMODAL
               ? .99 * (age < .1 * cell->mean) + .01 * (age < 90.1 * cell->mean)
               : 1;
}

// The rate of allocation at a time; on average 1.
static double rate_at(const struct lifetime_cell *cell, double time) {
    double gap = (double)WINDOW / (DUMPS - 1), at = fmod(time + 1000 * gap, gap) / gap;
    return cell->start == BURSTS_IN_PHASE   ? (at > .9 ? 10 : 0)
           : cell->start == BURSTS_IN_PAUSE ? (at < .1 ? 10 : 0)
                                            : 1;
}

// The time of the first allocation, such that older objects would be dead at the first
// dump.
static double first_time(const struct lifetime_cell *cell) {
    double age = cell->lifetime == EXPONENTIAL ? 25 * cell->mean
                 : cell->lifetime == FIXED     ? cell->mean
                                               : 91 * cell->mean;
    return cell->start == JUST_NOW ? -1 : -age - 1;
}

// The expected number of objects allocated since `from` that are live at `to`.
static double live_of(const struct lifetime_cell *cell, double from, double to) {
    const double step = .005;
    double sum = 0;
    for (double at = from + step / 2; at < to; at += step) {
        sum += rate_at(cell, at) * outlives(cell, to - at) * step;
    }
    return sum;
}

static double time_of(size_t dump) {
    return (double)WINDOW * (double)dump / (DUMPS - 1);
}

struct truth {
    double alive;    // share of the window's allocations that is live at its end
    double turnover; // mean live memory in the dumps, divided by the rate of allocation
};

static struct truth truth_of(const struct lifetime_cell *cell) {
    double live = 0, made = 0;
    for (size_t i = 0; i < DUMPS; i++) {
        live += live_of(cell, first_time(cell), time_of(i)) / DUMPS;
    }
    for (double at = .001; at < WINDOW; at += .002) {
        made += rate_at(cell, at) * .002;
    }
    return (struct truth){fmin(1, live_of(cell, 0, WINDOW) / made),
                          live / (made / WINDOW)};
}

struct lifetime_series {
    double live[DUMPS], gaps[DUMPS - 1], process[DUMPS - 1];
    double allocated;
};

static void add_object(struct lifetime_series *series, double born, double died) {
    for (size_t i = 0; i < DUMPS; i++) {
        double at = time_of(i);
        series->live[i] += born < at && at <= died ? PERIOD : 0;
        if (i > 0 && born >= time_of(i - 1) && born < at) {
            series->gaps[i - 1] += PERIOD;
            series->allocated += PERIOD;
        }
    }
}

// Simulate a series of dumps with `samples` sampled objects per unit.
static struct lifetime_series observe(const struct lifetime_cell *cell, double samples) {
    struct lifetime_series series = {{0}};
    double at = first_time(cell), most = cell->start < BURSTS_IN_PHASE ? 1 : 10;
    for (size_t i = 0; i + 1 < DUMPS; i++) {
        series.process[i] = 1e12; // the process has many other stacks
    }
    while (at < WINDOW) {
        at += -log(draw()) / (most * samples); // thinned to the rate
        if (draw() * most < rate_at(cell, at) && at < WINDOW) {
            add_object(&series, at, at + draw_lifetime(cell));
        }
    }
    return series;
}

// Numbers of runs: whose upper and lower bounds hold, and whose turnover is known and
// right.
struct lifetime_counts {
    int runs, high, low, known_turnovers, turnover;
};

static void judge(struct lifetime_counts *counts, const struct lifetime_series *series,
                  const struct truth *truth) {
    struct hp_survivors survivors = {0};
    struct hp_quantity allocated = {series->allocated, series->allocated / 16,
                                    series->allocated * PERIOD};
    hp_survivors_add(&survivors, &allocated, PERIOD, series->live[0],
                     series->live[DUMPS - 1]);
    struct hp_interval share = hp_survivors_share(&survivors, .95);
    counts->runs++;
    counts->high += !(share.high < truth->alive);
    counts->low += !(share.low > truth->alive);
    double error = 0;
    for (size_t i = 0; i < DUMPS; i++) {
        error += sqrt(series->live[i] * PERIOD) / DUMPS;
    }
    struct hp_course course = {
        .live = series->live,
        .gaps = series->gaps,
        .process = series->process,
        .dumps = DUMPS,
        .live_error = error,
        .samples = hp_survivors_samples(&survivors),
        .process_samples = 1e9,
    };
    struct hp_turnover turnover = hp_turnover_of(&course, .95);
    double expected = truth->turnover / WINDOW * 1e12 * (DUMPS - 1);
    counts->known_turnovers += turnover.lack == HP_TURNOVER_KNOWN;
    counts->turnover += turnover.lack == HP_TURNOVER_KNOWN &&
                        turnover.range.low <= expected && expected <= turnover.range.high;
}

static int runs_of(void) {
    const char *text = getenv("LIFETIME_SERIES");
    return text ? atoi(text) : 300;
}

// Check that the bounds of each side hold in .95 of the runs, less the noise of this
// number of runs.
static void check(const struct lifetime_cell *cell, double samples,
                  const struct lifetime_counts *counts) {
    double runs = counts->runs, noise = 3 * sqrt(.05 * .95 / runs);
    double high = counts->high / runs, low = counts->low / runs;
    cr_expect(high >= .95 - noise, "%s, %g a unit: upper ends %.3f", cell->name, samples,
              high);
    cr_expect(low >= .95 - noise, "%s, %g a unit: lower ends %.3f", cell->name, samples,
              low);
    double known_turnovers = counts->known_turnovers;
    if (cell->is_steady && known_turnovers >= 20) {
        cr_expect(counts->turnover / known_turnovers >=
                      .95 - 3 * sqrt(.05 * .95 / known_turnovers),
                  "%s, %g a unit: turnover %.3f of %g", cell->name, samples,
                  counts->turnover / known_turnovers, known_turnovers);
    }
    if (getenv("LIFETIME_SERIES")) {
        cr_log_warn("%-24s %2g: high %.3f low %.3f turnover %.3f of %.0f", cell->name,
                    samples, high, low,
                    known_turnovers > 0 ? counts->turnover / known_turnovers : NAN,
                    known_turnovers);
    }
}

Test(lifetime_coverage, of_ends_and_turnovers_holds_in_every_cell) {
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        struct truth truth = truth_of(&cells[i]);
        for (int samples = 1; samples <= 20; samples += 19) {
            struct lifetime_counts counts = {0};
            state = 7 + 100 * i + (uint64_t)samples;
            for (int run = 0; run < runs_of(); run++) {
                struct lifetime_series series = observe(&cells[i], samples);
                judge(&counts, &series, &truth);
            }
            check(&cells[i], samples, &counts);
        }
    }
}

// Memory that is never freed, or that still fills the heap at the end, must have no
// turnover in any run.
Test(lifetime_coverage, of_leaks_no_turnover_is_known) {
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        if (cells[i].lifetime != FOREVER && cells[i].mean < 50) {
            continue;
        }
        struct lifetime_counts counts = {0};
        struct truth truth = truth_of(&cells[i]);
        state = 99 + i;
        for (int run = 0; run < 100; run++) {
            struct lifetime_series series = observe(&cells[i], 20);
            judge(&counts, &series, &truth);
        }
        cr_expect_eq(counts.known_turnovers, 0, "%s: %d", cells[i].name,
                     counts.known_turnovers);
    }
}
