// Memory over time of programs that do and do not leak, and what dumps of it would tell.  Nothing
// here knows how the tool looks at it.
#ifndef SERIES_H
#define SERIES_H

#include <stdint.h>

enum {
    MOST_DUMPS = 200,
};

enum kind {
    WHITE_NOISE,
    AR_5,
    AR_8,
    AR_95,
    WALK,
    WALK_AND_WHITE,
    AR_95_AND_WHITE,
    WALK_OF_T3,
    TELEGRAPH,
    CYCLE_OF_7,
    DAY_AND_AR,
    WALK_OF_AR_STEPS,
    HALF_A_CYCLE,
    SAWTOOTH_OF_13,
    WARM_UP,
    STEP,
    LEAK,
    LEAK_AND_AR,
    LEAK_AND_WHITE,
    LATE_LEAK, // that begins in the middle of the series
    LATE_LEAK_AND_AR,
    LATE_LEAK_AND_WHITE,
    NEW_LEAK, // of what was not there before
    KINDS,
    NULLS = WARM_UP, // the first so many do not grow
};

extern const char *const kind_names[KINDS];
extern const double leak_of_kind; // a dump, of the level

// The last dump before a leak begins.
int onset_of_kind(enum kind kind, int dumps);

// Numbers of sampled objects, all so small that each stands for a period: the unit of all.
struct observed {
    int dumps;
    double values[MOST_DUMPS]; // live
    double freed[MOST_DUMPS];  // between the first dump and each
};

void seed_series(uint64_t seed);

// Of memory around `level` periods, a twentieth of which is replaced from dump to dump.
struct observed observe_series(enum kind kind, int dumps, double level);

#endif
