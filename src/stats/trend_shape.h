// The shape of the values of a series, other than growth: shapes that no test of a line
// can distinguish from a leak, but that a person can see.
#ifndef HP_STATS_TREND_SHAPE_H
#define HP_STATS_TREND_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

enum hp_trend_shape {
    HP_TREND_NONE,     // no shape was recognized
    HP_TREND_STEADY,   // it grows like a line and has no other shape
    HP_TREND_STEP,     // it rose once and stayed there
    HP_TREND_LEVELLED, // it rose at the beginning and then no more: a warm-up
    HP_TREND_CYCLE,    // it rises and falls with a period
    // It grows since a dump in the middle of the series, according to stats/onset.h.
    HP_TREND_SINCE,
    HP_TREND_SHAPES,
};

// Return the shape of the values of equally distant dumps.  `is_line` says whether the
// tests found that they grow like a line.  HP_TREND_NONE if there are fewer than
// HP_TREND_LEAST dumps.
enum hp_trend_shape hp_trend_shape_of(const double *values, size_t count, bool is_line);

// Return the index of the value after the largest rise from one value to the next: that of
// the step, if the shape is HP_TREND_STEP.  There must be two values.
size_t hp_trend_step_of(const double *values, size_t count);

// Return "steady"; hp_trend_shape_label() returns the word for people: "-" for none.
const char *hp_trend_shape_name(enum hp_trend_shape shape);
const char *hp_trend_shape_label(enum hp_trend_shape shape);

#endif
