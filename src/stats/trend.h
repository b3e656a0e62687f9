// Whether a value grows over a series of dumps of one process, and by how much at least.
//
// Three procedures are combined, because each is blind to something: sampling alone; a
// line with autocorrelated residuals; and the slopes of four parts of the series.  A
// growth is reported only if all of them find it: its p-value is the largest of theirs,
// its lower bound the smallest.  Both are one-sided and agree: the bound is above 0
// exactly if p is below 1 - confidence.
#ifndef HP_STATS_TREND_H
#define HP_STATS_TREND_H

#include <stdbool.h>
#include <stddef.h>

// Limits of the tests of a series for growth.
enum {
    HP_TREND_LEAST = 8, // minimum number of dumps to distinguish growth from fluctuation
    HP_MOST_PARTS = 8,  // maximum number of parts of a series
};

// A growth: `p` is the probability that a value that does not grow shows this growth or
// more, `least` the lower bound of the growth in one unit of time.
struct hp_rise {
    double p, least;
};

// All data that depend on the times only.  Computed once, and used for all values of a
// series.
struct hp_trend_times;

// Compute the data that the tests for growth need of the times of the dumps.  `times`
// must ascend and must not all be equal; `count` >= 2; 0.5 <= confidence < 1.
struct hp_trend_times *hp_trend_times_new(const double *times, size_t count,
                                          double confidence);
void hp_trend_times_free(struct hp_trend_times *times);

// Return the slope of the line fitted to the values by least squares; 0 if all times are
// equal.
double hp_trend_slope(const struct hp_trend_times *times, const double *values);

// Return the time of dump `i`, as the distance from the mean time.
double hp_trend_time(const struct hp_trend_times *times, size_t i);

// Return the weight of dump `i` in the slope of the line that hp_trend_slope() fits.
double hp_trend_weight(const struct hp_trend_times *times, size_t i);

// Test for growth beyond sampling.  `variance` is the sum over the dumps of |weight| x
// variance, where the variance is an upper bound of the one that sampling leaves in the
// dump's value.
struct hp_rise hp_trend_of_sampling(const struct hp_trend_times *times,
                                    const double *values, double variance);

// Test for growth by a line with autocorrelated residuals, and by parts.  Both need
// HP_TREND_LEAST dumps or more.
struct hp_rise hp_trend_of_line(const struct hp_trend_times *times, const double *values);
struct hp_rise hp_trend_of_parts(const struct hp_trend_times *times,
                                 const double *values);

// Divide a series into `parts` parts, and test it for growth by the slopes of these.
// `end` is the quantile of Student's t with parts - 1 degrees of freedom for the lower
// bound.
struct hp_rise hp_rise_of_parts(const double *times, const double *values, size_t count,
                                size_t parts, double end);

// Whether a line explains growing values at least as well as half a wave of the same
// duration does, that is, an oscillation that is slower than the series is long.  Needs
// HP_TREND_LEAST dumps or more.
bool hp_trend_is_line(const struct hp_trend_times *times, const double *values);

// Return Kendall's tau of the values and their order: 1 if each value is above the one
// before, -1 if each is below.  Corrected for equal values (tau-b).
double hp_trend_tau(const double *values, size_t count);

// Combine `sampling`, the result of the test against sampling errors, with the tests by
// the line and by parts, if there are enough dumps for these: return the largest p-value
// and the smallest bound.
struct hp_rise hp_trend_of_all(const struct hp_trend_times *times, const double *values,
                               struct hp_rise sampling);

#endif
