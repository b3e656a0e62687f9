// Results of the library for simulated series, each of which is a row of a trend.
#ifndef TREND_ROWS_H
#define TREND_ROWS_H

#include "series.h"
#include "stats/onset.h"
#include "stats/trend_shape.h"

#include <stdbool.h>

extern const double confidence, alpha;

// The results of the library for one series.
struct row {
    struct hp_rise whole, rise;
    struct hp_onset onset;
    enum hp_trend_shape shape;
};

// Tables for series of one length.
struct times {
    struct hp_trend_times *whole;
    struct hp_onset_times *onsets;
};

// Tables for series of so many dumps; free them with free_times().
struct times times_of(int dumps);
void free_times(struct times times);

// The results for one series; `has_lives`: the dumps have the objects that were freed.
struct row row_of(struct times times, const struct observed *o, bool has_lives);

// The rise in span `i` of an array of rises, a hp_onset_sampling_fn.
struct hp_rise rise_in_span(const void *rises, size_t i);

// The number of series that the environment asks for in TREND_SERIES, or 0: then figures
// are not printed.  series() is the number of series of each cell.
int series_asked_for(void);
int series(void);

#endif
