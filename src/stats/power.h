// The power of the tests of the reports: the smallest change that a comparison finds in
// four of five cases.
//
// The tests themselves are not repeated here: p-values and quantiles are those of
// measure.h, two_samples.h and trend.h.
#ifndef HP_STATS_POWER_H
#define HP_STATS_POWER_H

#include "stats/measure.h"
#include "stats/trend.h"

#include <stddef.h>

// A growth that is tested for sampling error only.  Members that are "per byte" say what
// each byte of the growth adds.
struct hp_growth_model {
    // The two sides of the test if nothing has changed; both have the same estimate.
    struct hp_measure before, after;
    struct hp_measure per_byte; // its `estimate` is 1
    // Variance that the difference of the estimates has without a change, and per byte.
    double noise, noise_per_byte;
};

// Return a model in which the new side has the objects of the base, and each byte of the
// growth is in objects like these.  `noise` is the variance of one side.
struct hp_growth_model hp_growth_model_of(struct hp_measure side, double noise);

// Return the growth that has the one-sided p-value `level`; INFINITY: there is none.
double hp_growth_at(const struct hp_growth_model *model, double level);

// Return the smallest growth whose p-value is below `level` in four of five comparisons,
// and which then exceeds `limit`.
double hp_detectable_growth(const struct hp_growth_model *model, double level,
                            double limit);

// The comparison of two sides of several values with equal variance by hp_ratio_of_logs()
// or by a contrast: how often it finds a difference.
struct hp_side_power;

// `count` is the number of values of each side, three or more in all and one or more a
// side; `level` is the one-sided p-value.
struct hp_side_power *hp_side_power_new(const size_t count[2], double level);
void hp_side_power_free(struct hp_side_power *power);

// Return the difference of the means that is found in four of five comparisons, in
// standard errors of that difference.  `least`: a smaller difference is not found, because
// of another test.  `freedom` says how well the standard error is known: it was estimated
// with so many degrees of freedom; INFINITY: exactly.
double hp_detectable_difference(const struct hp_side_power *power, double least,
                                double freedom);

// How values vary around a line: their standard deviation, and the correlation of values
// one mean distance apart.  `freedom`: the degrees of freedom that `sd` was estimated
// with; 0: it is known exactly.
struct hp_noise {
    double sd, correlation, freedom;
};

// Fit a line to values, and return how they vary around it; count >= 3.
struct hp_noise hp_noise_around_line(const double *times, const double *values,
                                     size_t count);

// Pseudo-random series with these times that vary around 0.  They are made and tested
// once, for any standard deviation: noise.sd is not used.  `times` outlive them.
struct hp_noisy_series;

struct hp_noisy_series *hp_noisy_series_new(const struct hp_trend_times *times,
                                            size_t count, struct hp_noise noise);
void hp_noisy_series_free(struct hp_noisy_series *noisy);

// What the values of a series vary by.
struct hp_slope_noise {
    double sd; // standard deviation around a line, without growth
    // As in hp_trend_of_sampling(): without growth, and what a slope of 1 adds.
    double variance, variance_per_slope;
    // What sampling adds to the variance of a value for each byte that it has grown by.
    double noise_per_byte;
};

// Return the slope that the tests of a trend find in four of five such series.
double hp_detectable_slope(struct hp_noisy_series *noisy, struct hp_slope_noise of);

#endif
