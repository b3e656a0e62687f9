#include "sim/lives.h"

#include "core/usize.h"

#include <math.h>

// Mean lifetimes before the first dump, for exponential ones.
static const double steady_for = 25;
static const double burst = 0.1; // the part of a gap in which stacks with pauses allocate

// Distribution of the lifetimes.
enum lifetime_kind {
    EXPONENTIAL,
    FIXED,
    BIMODAL,
    FOREVER,
};

// The time in which a stack allocates.
enum life_start {
    LONG_AGO,
    AT_FIRST_DUMP,
    IN_PHASE,
    IN_PAUSE,
};

enum {
    SMALL = 64, // bytes of an object
    // Numbers of the stacks `mixed` and `rest`.
    MIXED = 7,
    REST = 8,
    // Smallest size of an object of `mixed`, in bytes, and the largest, in periods.
    LEAST_MIXED = 16,
    MOST_MIXED = 64,
    REST_SAMPLES = 200, // periods that the stack `rest` allocates in a unit
};

const char *const hps_lives_names[HPS_LIVES_STACKS] = {
    "exponential", "fixed",    "bimodal", "never-freed", "just-started",
    "in-phase",    "in-pause", "mixed",   "rest"};

// The stacks, in the order of their names.
static const struct {
    enum lifetime_kind kind;
    enum life_start start;
    double mean;
} stacks[HPS_LIVES_STACKS] = {
    {EXPONENTIAL, LONG_AGO, 5},       {FIXED, LONG_AGO, 5},
    {BIMODAL, LONG_AGO, 5},           {FOREVER, AT_FIRST_DUMP, INFINITY},
    {EXPONENTIAL, AT_FIRST_DUMP, 50}, {EXPONENTIAL, IN_PHASE, 1},
    {EXPONENTIAL, IN_PAUSE, 1},       {EXPONENTIAL, LONG_AGO, 5},
    {EXPONENTIAL, LONG_AGO, 0.5},
};

static double exponential(struct hps_random *random) { // with mean 1
    return -log(hps_random_unit(random));
}

// Draw a lifetime.
static double lifetime_of(struct hps_lives *lives) {
    double mean = stacks[lives->stack].mean;
    switch (stacks[lives->stack].kind) {
    case EXPONENTIAL:
        return mean * exponential(&lives->random);
    case FIXED:
        return mean;
    case BIMODAL:
        return mean * (hps_random_below(&lives->random, 100) ? 0.1 : 90.1);
    case FOREVER:
        break;
    }
    return INFINITY;
}

// Draw a size.  The mixed stack has equally many objects in each doubling of the size, so
// that large ones have most of the bytes.
static uint64_t size_of(struct hps_lives *lives) {
    if (lives->stack != MIXED) {
        return lives->stack == REST ? hps_usize(lives->period) : SMALL;
    }
    double range = log((double)(MOST_MIXED * lives->period) / LEAST_MIXED);
    return hps_usize(
        (uint64_t)(LEAST_MIXED * exp(range * hps_random_unit(&lives->random))));
}

// The mean size of the stack's objects.
static double mean_size(const struct hps_lives *lives) {
    double least = LEAST_MIXED, most = (double)(MOST_MIXED * lives->period);
    return lives->stack == MIXED  ? (most - least) / log(most / least)
           : lives->stack == REST ? (double)hps_usize(lives->period)
                                  : SMALL;
}

double hps_lives_time(const struct hps_lives *lives, uint32_t dump) {
    return (double)HPS_LIVES_WINDOW * dump / (lives->dumps - 1);
}

// Whether the stack does not allocate now.
static bool is_paused(const struct hps_lives *lives) {
    double gap = hps_lives_time(lives, 1), at = lives->now / gap;
    at -= floor(at);
    return (stacks[lives->stack].start == IN_PHASE && at < 1 - burst) ||
           (stacks[lives->stack].start == IN_PAUSE && at >= burst);
}

void hps_lives_init(struct hps_lives *lives, uint32_t stack, uint32_t dumps,
                    uint64_t period, double samples, const struct hps_random *random) {
    double long_ago = stacks[stack].kind == BIMODAL ? 91 : steady_for;
    *lives = (struct hps_lives){
        .random = *random,
        .stack = stack,
        .dumps = dumps,
        .period = period,
        .bytes = (stack == REST ? REST_SAMPLES : samples) * (double)period,
        .now = stacks[stack].start == AT_FIRST_DUMP ? 0 : -long_ago * stacks[stack].mean,
    };
}

bool hps_lives_next(struct hps_lives *lives, struct hps_life *life) {
    bool has_pauses = stacks[lives->stack].start >= IN_PHASE;
    double rate = lives->bytes / mean_size(lives) / (has_pauses ? burst : 1);
    do {
        lives->now += exponential(&lives->random) / rate;
    } while (is_paused(lives)); // a gap has many allocations
    *life = (struct hps_life){
        .born = lives->now,
        .died = lives->now + lifetime_of(lives),
        .size = size_of(lives),
        .stack = lives->stack,
    };
    return lives->now <= HPS_LIVES_WINDOW;
}
