// Simulated memory over time of programs that leak and of programs that do not, and the
// numbers of sampled objects in dumps of them.  The simulation uses nothing of the tool
// that it tests.
#ifndef SERIES_H
#define SERIES_H

#include <stdint.h>

enum {
    MOST_DUMPS = 200,
};

// How the memory of a program changes over time.
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
    LATE_LEAK, // a leak that begins in the middle of the series
    LATE_LEAK_AND_AR,
    LATE_LEAK_AND_WHITE,
    NEW_LEAK, // a leak of memory that did not exist before it began
    KINDS,
    NULLS = WARM_UP, // number of the first kinds, which do not grow
};

extern const char *const kind_names[KINDS];
extern const double leak_of_kind; // growth from dump to dump, as a share of the level

// The index of the last dump before a leak begins.
int onset_of_kind(enum kind kind, int dumps);

// Numbers of sampled objects in each dump.  All objects are so small that each sample
// represents one sample period of bytes, which is the unit of the numbers.
struct observed {
    int dumps;
    double values[MOST_DUMPS]; // live at each dump
    double freed[MOST_DUMPS];  // freed between the first dump and each dump
};

void seed_series(uint64_t seed);

// Random numbers of the same sequence: above 0, at most 1.
double series_uniform(void);

// Add to the memory at each dump, as shares of the level, what is random in a kind.
void add_noise(double *shares, int dumps, enum kind kind);

// Simulate a program whose memory has these shares of the level, but `least` at least.
struct observed observe_shares(const double *shares, int dumps, double level,
                               double least);

// Simulate a program that holds about `level` sample periods of memory.  A twentieth of
// it is replaced from dump to dump.
struct observed observe_series(enum kind kind, int dumps, double level);

#endif
