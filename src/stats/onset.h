// Finds the dump from which on a value grows.  A leak that begins in the middle of a
// series is not a line over all dumps.
//
// The last k dumps are tested for several k.  A growth is claimed only if all of these
// hold: it is larger than sampling, autocorrelated values and the differences between
// parts of these dumps explain; the last values are above all values before; and a line
// that begins to rise at some dump (a hinge) explains the whole series as well as waves
// and warm-ups do.  The p-value of the best k is multiplied by 3 for the choice among
// several k; this factor was determined by simulation.
#ifndef HP_STATS_ONSET_H
#define HP_STATS_ONSET_H

#include "stats/trend.h"

enum {
    HP_ONSET_LEAST = 11, // dumps; a shorter series is tested only as a whole
    // A suffix consists of the last dumps of a series, a run of very few of them.
    HP_ONSET_SUFFIXES = 6, // maximum number of suffixes, without the whole series
    HP_ONSET_RUNS = 3,     // number of runs: the last 5, 6 and 7 steps between dumps
    HP_ONSET_SPANS = HP_ONSET_SUFFIXES + HP_ONSET_RUNS,
};

// A span, that is a number of the last dumps of a series: a suffix of many, or a run of
// very few.
struct hp_onset_span {
    size_t first, count; // count = 0: there is no such span
};

// All data that depend on the times only.  Computed once, and used for all values of a
// series.
struct hp_onset_times;

// Compute the data that hp_onset_find() needs of the times of the dumps; arguments as in
// hp_trend_times_new().  Freed by hp_onset_times_free().
struct hp_onset_times *hp_onset_times_new(const double *times, size_t count,
                                          double confidence);
void hp_onset_times_free(struct hp_onset_times *times);

// Return span i (a number of last dumps) of HP_ONSET_SPANS: the longer ones, suffixes,
// come first, then runs.
struct hp_onset_span hp_onset_span(const struct hp_onset_times *times, size_t i);

// Return the weight of dump `j` of the series in the slope of the last dumps that are
// span i.
double hp_onset_weight(const struct hp_onset_times *times, size_t i, size_t j);

// Return the error probability of the lower bounds of growth in spans of last dumps.  It
// is smaller than 1 - confidence, because the best of several spans is chosen.
double hp_onset_alpha(const struct hp_onset_times *times);

// Test span i (a number of last dumps) for growth beyond sampling, as
// hp_trend_of_sampling() does for all dumps.  `values` are those of all dumps; `variance`
// is the sum that is described there, with the weights of the span: hp_onset_weight().
struct hp_rise hp_onset_of_sampling(const struct hp_onset_times *times, size_t i,
                                    const double *values, double variance);

// The dump from which on the values of a series grow, if there is one, and how much they
// grow since.
struct hp_onset {
    // The rise of the whole series, or since the onset, whichever is more significant.
    struct hp_rise rise;
    bool is_since;        // the value grows since the onset
    size_t dump;          // the last dump before the rise
    size_t from, to;      // the onset lies between these dumps
    double slope;         // slope of the hinge since the onset
    double growth, least; // total growth since the onset, and its lower bound
    // Number of last steps that all rose, if there are too few for a claim; otherwise 0.
    unsigned steps;
};

// The type of a function that returns how much the values grow in span i of the last
// dumps, tested against sampling errors alone.  The error probability of its bound is
// hp_onset_alpha().  If the p-value is not below that, any bound of 0 or less will do.
// For runs the bound is not used.
typedef struct hp_rise hp_onset_sampling_fn(const void *data, size_t i);

// Find the onset.  `sampling` is called with `data` for spans in which values rise;
// `whole` is the rise of the whole series, from hp_trend_of_all().
struct hp_onset hp_onset_find(const struct hp_onset_times *times, const double *values,
                              hp_onset_sampling_fn *sampling, const void *data,
                              struct hp_rise whole);

#endif
