// Whether a value grows over a series of dumps of one process, and by how much at least.
//
// Three procedures look at it, each blind to something: sampling alone; a line around which
// values go up and down, each near the one before; and the slopes of four parts of the
// series.  A growth is what all of them call so: its p is the largest of theirs, its bound the
// smallest.  Both are one-sided, and agree: the bound is above 0 exactly where p is below
// 1 - confidence.
#ifndef HP_STATS_TREND_H
#define HP_STATS_TREND_H

#include <stdbool.h>
#include <stddef.h>

enum {
    HP_TREND_LEAST = 8, // dumps, to tell growth from values that go up and down
    HP_MOST_PARTS = 8,
};

// The probability that what does not grow looks as if it grew as much, and what a value grows by
// at least, a unit of time.
struct hp_rise {
    double p, least;
};

// What depends on times alone, for all values of a series.
struct hp_trend_times;

// `times` go up, not all at once; of `count` >= 2.  0.5 <= confidence < 1.
struct hp_trend_times *hp_trend_times_new(const double *times, size_t count,
                                          double confidence);
void hp_trend_times_free(struct hp_trend_times *times);

// Of the line fitted to the values by least squares; 0 where there is but one time.
double hp_trend_slope(const struct hp_trend_times *times, const double *values);

// What dump `i` counts for in it.
double hp_trend_weight(const struct hp_trend_times *times, size_t i);

// Sampling alone: `variance` is the sum over the dumps of what it leaves in their values at most,
// each times |weight|.
struct hp_rise hp_trend_of_sampling(const struct hp_trend_times *times,
                                    const double *values, double variance);

// A line with autocorrelated values around it, and parts; of HP_TREND_LEAST dumps or more.
struct hp_rise hp_trend_of_line(const struct hp_trend_times *times, const double *values);
struct hp_rise hp_trend_of_parts(const struct hp_trend_times *times,
                                 const double *values);

// So many parts of any values; `end` is the quantile of Student's t with parts - 1 degrees of freedom that the bound
// is at.
struct hp_rise hp_rise_of_parts(const double *times, const double *values, size_t count,
                                size_t parts, double end);

// Whether values that grow are as likely to be a line as half a wave that lasts as long: what goes
// up and down more slowly than it was looked at.  Of HP_TREND_LEAST dumps or more.
bool hp_trend_is_line(const struct hp_trend_times *times, const double *values);

// Kendall's tau of values and their order, in which equal values count for neither.
double hp_trend_tau(const double *values, size_t count);

// `sampling`, and where there are enough dumps also the line and the parts.
struct hp_rise hp_trend_of_all(const struct hp_trend_times *times, const double *values,
                               struct hp_rise sampling);

#endif
