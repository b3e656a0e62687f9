// Since when a value grows over a series of dumps: a leak that begins in mid-series is no line over all dumps.
//
// The last k dumps are looked at for some k, and a growth since then is claimed only if it is more than sampling, than
// values that hang together and than parts of these dumps explain; if it ends above all that was before; and if a line
// that begins to rise explains the whole series as well as waves and warm-ups do.  The p of the best k is paid for by a
// factor of 3, which simulations gave.
#ifndef HP_STATS_ONSET_H
#define HP_STATS_ONSET_H

#include "stats/trend.h"

enum {
    HP_ONSET_LEAST = 11,   // dumps; of fewer only the whole series is looked at
    HP_ONSET_SUFFIXES = 6, // most of them, without the whole series
    HP_ONSET_RUNS = 3,     // the last 5, 6 and 7 steps
    HP_ONSET_SPANS = HP_ONSET_SUFFIXES + HP_ONSET_RUNS,
};

// The last dumps of a series.
struct hp_onset_span {
    size_t first, count; // 0 dumps: there is no such span
};

// Everything that depends on times alone, made once for all values of a series.
struct hp_onset_times;

// As in hp_trend_times_new().
struct hp_onset_times *hp_onset_times_new(const double *times, size_t count,
                                          double confidence);
void hp_onset_times_free(struct hp_onset_times *times);

// Span i of HP_ONSET_SPANS: suffixes first, then runs.
struct hp_onset_span hp_onset_span(const struct hp_onset_times *times, size_t i);

// The weight of dump `j` of the series in the slope of a span.
double hp_onset_weight(const struct hp_onset_times *times, size_t i, size_t j);

// The probability at which bounds of spans are; less than that of the whole series.
double hp_onset_alpha(const struct hp_onset_times *times);

// Sampling alone in a span, as hp_trend_of_sampling(): `variance` is summed with the weights of the span.
struct hp_rise hp_onset_of_sampling(const struct hp_onset_times *times, size_t i,
                                    const double *values, double variance);

struct hp_onset {
    struct hp_rise rise;  // of the whole series, or since the onset, whichever is surer
    bool is_since;        // it grows since the onset
    size_t dump;          // the last before the rise
    size_t from, to;      // the onset is between these dumps
    double slope;         // since the onset
    double growth, least; // since the onset in all, and at least
    unsigned steps;       // rose in each of so many last steps, too few for a claim; or 0
};

// The rise in span i by sampling alone.  Its bound is at hp_onset_alpha(), and may be any that is not above 0 if its p
// is no less than that; in runs nobody asks for it.
typedef struct hp_rise hp_onset_sampling_fn(const void *data, size_t i);

// `sampling` is asked for spans in which values rise; `whole` is the rise of the whole series by all procedures.
struct hp_onset hp_onset_find(const struct hp_onset_times *times, const double *values,
                              hp_onset_sampling_fn *sampling, const void *data,
                              struct hp_rise whole);

#endif
