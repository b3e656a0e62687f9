// What the values of a series look like, beside growing: what no test of a line can tell apart
// from a leak, but people can see.
#ifndef HP_STATS_TREND_SHAPE_H
#define HP_STATS_TREND_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

enum hp_trend_shape {
    HP_TREND_NONE,     // nothing of the kind
    HP_TREND_STEADY,   // it grows like a line, and is none of the others
    HP_TREND_STEP,     // it went up once, and stayed there
    HP_TREND_LEVELLED, // it went up at first, and no more: a warm-up
    HP_TREND_CYCLE,    // it goes up and down, each time after about as long
    HP_TREND_SINCE,    // it grows since a dump in mid-series, as stats/onset.h says
    HP_TREND_SHAPES,
};

// Of the values of equally distant dumps; `is_line`: that they grow, and like a line, is what
// tests say.  Of HP_TREND_LEAST or more: of fewer it is HP_TREND_NONE.
enum hp_trend_shape hp_trend_shape_of(const double *values, size_t count, bool is_line);

const char *hp_trend_shape_name(enum hp_trend_shape shape); // "steady"

#endif
