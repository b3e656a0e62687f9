#include "series.h"

#include <math.h>
#include <stdbool.h>

const char *const kind_names[KINDS] = {
    [WHITE_NOISE] = "white noise",
    [AR_5] = "AR .5",
    [AR_8] = "AR .8",
    [AR_95] = "AR .95",
    [WALK] = "walk 2 %",
    [WALK_AND_WHITE] = "walk + white",
    [AR_95_AND_WHITE] = "AR .95 + white",
    [WALK_OF_T3] = "walk of t3",
    [TELEGRAPH] = "telegraph",
    [CYCLE_OF_7] = "cycle of 7",
    [DAY_AND_AR] = "day + AR",
    [WALK_OF_AR_STEPS] = "walk of AR .5 steps",
    [HALF_A_CYCLE] = "half a cycle",
    [SAWTOOTH_OF_13] = "sawtooth of 13",
    [WARM_UP] = "warm-up",
    [STEP] = "step of 10 %",
    [LEAK] = "leak",
    [LEAK_AND_AR] = "leak + AR .8",
    [LEAK_AND_WHITE] = "leak + white",
    [LATE_LEAK] = "late leak",
    [LATE_LEAK_AND_AR] = "late leak + AR .8",
    [LATE_LEAK_AND_WHITE] = "late leak + white",
    [NEW_LEAK] = "new leak",
};

const double leak_of_kind = 0.01;

static const double pi = 3.14159265358979323846;
static const double churn = 0.05; // share of memory that is replaced from dump to dump

// --- random numbers -----------------------------------------------------------------------

static uint64_t state;

void seed_series(uint64_t seed) {
    state = seed;
}

// SplitMix64 (Steele, Lea and Flood, 2014).
static uint64_t next(void) {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double uniform(void) { // above 0, at most 1
    return (double)((next() >> 11) + 1) * 0x1p-53;
}

static double normal(void) {
    double radius = sqrt(-2 * log(uniform()));
    return radius * cos(2 * pi * uniform());
}

static double student3(void) { // of variance 1
    double squares = 0;
    for (int i = 0; i < 3; i++) {
        double x = normal();
        squares += x * x;
    }
    return normal() / sqrt(squares);
}

// A random count: normal with this mean and variance if the mean is large, else Poisson.
static double count_of(double mean, double variance) {
    if (mean > 30) {
        return fmax(round(mean + sqrt(variance) * normal()), 0);
    }
    double left = exp(-mean), product = uniform(), count = 0;
    for (; product > left; count++) {
        product *= uniform();
    }
    return count;
}

// --- memory -------------------------------------------------------------------------------

// The memory at each dump, as a share of the level, to which the functions below add.
struct course {
    double *values;
    int dumps;
};

static void add_white(struct course c, double sd) {
    for (int j = 0; j < c.dumps; j++) {
        c.values[j] += sd * normal();
    }
}

// Add a stationary autoregressive process with this standard deviation.
static void add_ar(struct course c, double rho, double sd) {
    double now = sd * normal();
    for (int j = 0; j < c.dumps; j++) {
        c.values[j] += now;
        now = rho * now + sd * sqrt(1 - rho * rho) * normal();
    }
}

static void add_walk(struct course c, double (*step)(void)) {
    double now = 0;
    for (int j = 0; j < c.dumps; j++) {
        c.values[j] += now;
        now += 0.02 * step();
    }
}

static void add_walk_of_ar(struct course c) {
    double now = 0, step = 0.02 * normal();
    for (int j = 0; j < c.dumps; j++) {
        c.values[j] += now;
        now += step;
        step = 0.5 * step + 0.02 * sqrt(0.75) * normal();
    }
}

static void add_cycle(struct course c, double period) {
    double phase = 2 * pi * uniform();
    for (int j = 0; j < c.dumps; j++) {
        c.values[j] += 0.1 * sin(phase + 2 * pi * j / period);
    }
}

static void add_sawtooth(struct course c, double period) {
    double phase = uniform();
    for (int j = 0; j < c.dumps; j++) {
        c.values[j] += 0.2 * (fmod(j / period + phase, 1) - 0.5);
    }
}

static void add_telegraph(struct course c) {
    bool is_high = uniform() < 0.5;
    for (int j = 0; j < c.dumps; j++) {
        c.values[j] += is_high ? 0.1 : -0.1;
        is_high ^= uniform() < 0.1;
    }
}

static void add_warm_up(struct course c) {
    for (int j = 0; j < c.dumps; j++) {
        c.values[j] -= exp(-j / (0.2 * c.dumps));
    }
}

static void add_step(struct course c) {
    int at = 2 + (int)(uniform() * 0.999999 * (c.dumps - 3));
    for (int j = at; j < c.dumps; j++) {
        c.values[j] += 0.1;
    }
}

int onset_of_kind(enum kind kind, int dumps) {
    return kind >= LATE_LEAK ? dumps / 2 - 1 : 0;
}

static void add_leak(struct course c, enum kind kind) {
    int onset = onset_of_kind(kind, c.dumps);
    for (int j = 0; j < c.dumps; j++) {
        c.values[j] = kind == NEW_LEAK ? 0 : c.values[j];
        c.values[j] += j > onset ? leak_of_kind * (j - onset) : 0;
    }
}

static void add_smooth(struct course c, enum kind kind) {
    if (kind == CYCLE_OF_7 || kind == DAY_AND_AR || kind == HALF_A_CYCLE) {
        add_cycle(c, kind == CYCLE_OF_7 ? 7 : kind == DAY_AND_AR ? 24 : 2 * c.dumps);
    } else if (kind == SAWTOOTH_OF_13) {
        add_sawtooth(c, 13);
    } else if (kind == WARM_UP) {
        add_warm_up(c);
    } else if (kind == STEP) {
        add_step(c);
    } else if (kind >= LEAK) {
        add_leak(c, kind);
    }
}

static void add_random(struct course c, enum kind kind) {
    static const double rho[KINDS] = {
        [AR_5] = 0.5,
        [AR_8] = 0.8,
        [AR_95] = 0.95,
        [AR_95_AND_WHITE] = 0.95,
        [DAY_AND_AR] = 0.8,
        [LEAK_AND_AR] = 0.8,
        [LATE_LEAK_AND_AR] = 0.8,
    };
    if (rho[kind] > 0) {
        add_ar(c, rho[kind], 0.05);
    }
    if (kind == WHITE_NOISE || kind == WALK_AND_WHITE || kind == AR_95_AND_WHITE ||
        kind == LEAK_AND_WHITE || kind == LATE_LEAK_AND_WHITE) {
        add_white(c, 0.05);
    }
    if (kind == WALK || kind == WALK_AND_WHITE) {
        add_walk(c, normal);
    } else if (kind == WALK_OF_T3) {
        add_walk(c, student3);
    } else if (kind == WALK_OF_AR_STEPS) {
        add_walk_of_ar(c);
    } else if (kind == TELEGRAPH) {
        add_telegraph(c);
    }
}

// --- dumps --------------------------------------------------------------------------------

double series_uniform(void) {
    return uniform();
}

void add_noise(double *shares, int dumps, enum kind kind) {
    add_random((struct course){shares, dumps}, kind);
}

struct observed observe_shares(const double *shares, int dumps, double level,
                               double least) {
    struct observed o = {.dumps = dumps};
    double live = 0;
    for (int j = 0; j < dumps; j++) {
        double now = level * fmax(shares[j], least);
        if (j == 0) {
            o.values[0] = count_of(now, now);
        } else {
            double dies = fmin(fmax(churn * live, live - now), live), p = dies / live;
            double born = fmax(now - (live - dies), 0), before = o.values[j - 1];
            double freed = fmin(count_of(before * p, before * p * (1 - p)), before);
            double fresh = count_of(born, born);
            o.values[j] = before - freed + fresh;
            o.freed[j] = o.freed[j - 1] + freed;
        }
        live = now;
    }
    return o;
}

struct observed observe_series(enum kind kind, int dumps, double level) {
    double shares[MOST_DUMPS];
    for (int j = 0; j < dumps; j++) {
        shares[j] = 1;
    }
    add_smooth((struct course){shares, dumps}, kind);
    add_random((struct course){shares, dumps}, kind);
    return observe_shares(shares, dumps, level, kind == NEW_LEAK ? 1e-9 : 0.01);
}
