// A growth by sampling alone.  With the estimates X before and Y after, the test finds a
// growth of D bytes if p(X, Y) < level.  Y - X has the mean D and the variance N + n D,
// where N is the variance without a change.  In four of five comparisons Y - X is above
//
//     D - z sqrt(N + n D),   z = 0.8416
//
// so that the smallest D is the one at which the test just finds this difference.
//
// Two sides of n1 and n2 values.  In units of the standard error of the difference of
// their means, a difference D is found if
//
//     D + Z > max(t(n1 + n2 - 2) s, t(f) w, least)
//
// where Z is standard normal, s and w are the errors that the pooled and Welch's test
// estimate, and f are the degrees of freedom of the latter.  s, w and f follow from two
// independent chi-squared variables, over which the probability is averaged: at the
// middles of equally probable intervals of both.  If the unit is itself an estimate, from
// f degrees of freedom, D is x times the estimate, and the probability is also averaged
// over chi-squared / f.
//
// A trend.  The tests find a slope b in values e_j + b t_j if all lower bounds are above
// 0.  A line that is added to the values raises every bound by its slope.  So b is found
// in a series if it is above -L, where L is the smallest bound for the e_j alone; and in
// four of five series if it is above this quantile of -L, which is taken from series of
// pseudo-random e_j.  A growth also has to look steady, so that the slope is raised until
// four of five series with it are marked.
//
// If the standard deviation of the e_j is an estimate, each series has another one, by the
// distribution that the estimate leaves.  The correlation of n residuals is too low by about (2 + 4 r) / n.
#include "stats/power.h"

#include "base/memory.h"
#include "stats/distributions.h"
#include "stats/trend_shape.h"
#include "stats/two_samples.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    POINTS = 16,    // intervals that each chi-squared distribution is divided into
    HALVINGS = 60,  // steps of a search for a number
    SERIES = 400,   // pseudo-random series
    FOUND_IN = 320, // four fifths of them
    // Steps by which a slope is raised until it is marked, and halvings after these.
    DOUBLINGS = 8,
    SLOPE_HALVINGS = 4,
    FEW = 7, // values that do not show their correlation
};

static const double share = 0.8; // in which a change is to be found
static const double step_of_slopes = 1.4;
// Limit of a correlation, beyond which values are a random walk.
static const double most_correlated = 0.95;
static const double most = 0x1p100;    // limit of a change, in bytes
static const double most_errors = 1e6; // limit of a difference, in standard errors

// --- sampling --------------------------------------------------------------------------

struct hp_growth_model hp_growth_model_of(struct hp_measure side, double noise) {
    double bytes = side.estimate;
    struct hp_growth_model model = {.before = side, .after = side, .noise = 2 * noise};
    model.per_byte = hp_measure_mean(side, bytes > 0 ? bytes : 1);
    model.noise_per_byte = bytes > 0 ? noise / bytes : side.max_weight;
    if (bytes <= 0) { // like small objects, which have the largest variance
        model.per_byte = (struct hp_measure){1, 1, side.max_weight, 0, 0, 0};
    }
    return model;
}

// Return the p-value of an estimated growth of `shown` bytes, of `growth` real ones.
static double p_of(const struct hp_growth_model *model, double growth, double shown) {
    const struct hp_measure *more = &model->per_byte;
    struct hp_measure after = model->after;
    after.estimate += shown;
    after.highest += shown + growth * (more->highest - more->estimate);
    after.variance += fmax(growth, 0) * more->variance;
    after.observed = fmin(after.observed + growth * more->observed, after.estimate);
    after.excess += growth * more->excess;
    return shown > 0 ? hp_growth_p(model->before, after) : 1;
}

// Return how far below its mean the difference is in one of five comparisons.
static double shortfall_of(const struct hp_growth_model *model, double growth) {
    return hp_normal_quantile_above(1 - share) *
           sqrt(model->noise + growth * model->noise_per_byte);
}

// Whether a growth is found, if the estimates show it too small by `errors` times the
// usual shortfall.
static bool is_found(const struct hp_growth_model *model, double level, double limit,
                     double growth, double errors) {
    double shown = growth - errors * shortfall_of(model, growth);
    return shown > limit && p_of(model, growth, shown) < level;
}

static double least_found(const struct hp_growth_model *model, double level, double limit,
                          double errors) {
    double high = fmax(model->before.max_weight, 1), low = 0;
    while (!is_found(model, level, limit, high, errors)) {
        low = high;
        high *= 2;
        if (high > most) {
            return INFINITY;
        }
    }
    for (int i = 0; i < HALVINGS && low < high; i++) {
        double middle = (low + high) / 2;
        if (is_found(model, level, limit, middle, errors)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

double hp_growth_at(const struct hp_growth_model *model, double level) {
    return least_found(model, level, 0, 0);
}

double hp_detectable_growth(const struct hp_growth_model *model, double level,
                            double limit) {
    return least_found(model, level, limit, 1);
}

// --- several values --------------------------------------------------------------------

struct hp_side_power {
    // Difference from which on both tests find it, in its standard errors, for each pair
    // of variances.
    double least[POINTS * POINTS];
};

// Set the middles of equally probable intervals of chi-squared / freedom.
static void set_points(double points[POINTS], double freedom) {
    for (int i = 0; i < POINTS; i++) {
        double below = (i + 0.5) / POINTS;
        points[i] =
            freedom > 0 ? hp_gamma_quantile_below(freedom / 2, below) / (freedom / 2) : 0;
    }
}

// Return the difference that both tests find if the sides show these variances.  `pooled`
// is the quantile of Student's test, `level` the p-value.
static double least_of(const size_t count[2], const double variances[2], double pooled,
                       double level) {
    double sum = 0, all = 0, parts = 0, reach = 0;
    for (int i = 0; i < 2; i++) {
        double n = (double)count[i], mean = variances[i] / n;
        sum += (n - 1) * variances[i];
        reach += 1 / n;
        all += mean;
        parts += n > 1 ? mean * mean / (n - 1) : 0;
    }
    double least = pooled * sqrt(sum / ((double)(count[0] + count[1]) - 2));
    if (count[0] > 1 && count[1] > 1) {
        double welch = hp_student_quantile_above(level, all * all / parts);
        least = fmax(least, welch * sqrt(all / reach));
    }
    return least;
}

struct hp_side_power *hp_side_power_new(const size_t count[2], double level) {
    struct hp_side_power *power = hp_alloc(sizeof *power);
    double points[2][POINTS];
    double freedom = (double)(count[0] + count[1]) - 2;
    double pooled = hp_student_quantile_above(level, freedom);
    for (int i = 0; i < 2; i++) {
        set_points(points[i], (double)count[i] - 1);
    }
    for (int i = 0; i < POINTS * POINTS; i++) {
        int one = i / POINTS, other = i % POINTS;
        bool is_mirrored = count[0] == count[1] && other < one;
        double variances[2] = {points[0][one], points[1][other]};
        power->least[i] = is_mirrored ? power->least[other * POINTS + one]
                                      : least_of(count, variances, pooled, level);
    }
    return power;
}

void hp_side_power_free(struct hp_side_power *power) {
    free(power);
}

// Return the probability that a difference is found.
static double found(const struct hp_side_power *power, double least, double difference) {
    double sum = 0;
    for (int i = 0; i < POINTS * POINTS; i++) {
        sum += hp_normal_above(fmax(power->least[i], least) - difference);
    }
    return sum / (POINTS * POINTS);
}

// Return the mean of found(), if the unit of the difference is the estimate of an error.
static double found_by_estimate(const struct hp_side_power *power, double least,
                                double difference, const double *estimates) {
    double sum = 0;
    for (int i = 0; estimates && i < POINTS; i++) {
        sum += found(power, least, difference * sqrt(estimates[i]));
    }
    return estimates ? sum / POINTS : found(power, least, difference);
}

double hp_detectable_difference(const struct hp_side_power *power, double least,
                                double freedom) {
    double estimates[POINTS], low = 0, high = 1;
    const double *used = isinf(freedom) ? NULL : estimates;
    if (used) {
        set_points(estimates, freedom);
    }
    while (found_by_estimate(power, least, high, used) < share && high < most_errors) {
        low = high;
        high *= 2;
    }
    for (int i = 0; i < HALVINGS / 2; i++) {
        double middle = (low + high) / 2;
        if (found_by_estimate(power, least, middle, used) < share) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

// --- trends ----------------------------------------------------------------------------

// Return the next normal pseudo-random number, from the middle of one of 2^31 intervals.
static double next_normal(uint64_t *state) {
    enum {
        BITS = 31,
    };

    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return hp_normal_quantile_above(ldexp((double)(*state >> (64 - BITS)) + 0.5, -BITS));
}

static int by_value(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

struct hp_noise hp_noise_around_line(const double *times, const double *values,
                                     size_t count) {
    struct hp_trend_times *of = hp_trend_times_new(times, count, share);
    double slope = hp_trend_slope(of, values), n = (double)count;
    double mean = 0, centre = 0, squares = 0, products = 0, before = 0;
    for (size_t i = 0; i < count; i++) {
        mean += values[i] / n;
        centre += times[i] / n;
    }
    for (size_t i = 0; i < count; i++) {
        double rest = values[i] - mean - slope * (times[i] - centre);
        squares += rest * rest;
        products += rest * before;
        before = rest;
    }
    hp_trend_times_free(of);
    double found = squares > 0 ? products / squares : 0;
    double correlation = count > FEW ? (found + 2 / n) / (1 - 4 / n) : 0;
    return (struct hp_noise){sqrt(squares / (n - 2)),
                             fmin(fmax(correlation, 0), most_correlated), n - 2};
}

// A pseudo-random series around 0 with the standard deviation 1, and what the tests say.
struct noisy_one {
    double slope; // of the line fitted to it
    double least; // the smallest lower bound by the line and by parts
    // With a slope up to `below` it is not marked, with one of `from` or more it is.
    double below, from;
};

struct hp_noisy_series {
    const struct hp_trend_times *times;
    size_t count;   // dumps of a series
    double *values; // of all series, one after another
    double *shown;  // room for the values of one series
    struct noisy_one of[SERIES];
    double sd;             // the present standard deviation
    double needed[SERIES]; // slope from which on the tests find growth, with `sd`
};

struct hp_noisy_series *hp_noisy_series_new(const struct hp_trend_times *times,
                                            size_t count, struct hp_noise noise) {
    static const struct hp_rise any = {0, INFINITY};
    struct hp_noisy_series *noisy = hp_alloc(sizeof *noisy);
    double rho = noise.correlation, points[POINTS];
    uint64_t state = 1;
    set_points(points, noise.freedom);
    *noisy = (struct hp_noisy_series){.times = times, .count = count};
    noisy->values = hp_alloc((SERIES + 1) * count * sizeof *noisy->values);
    noisy->shown = noisy->values + SERIES * count;
    for (size_t i = 0; i < SERIES; i++) {
        double *values = noisy->values + i * count;
        double sd = noise.freedom > 0 ? 1 / sqrt(points[i % POINTS]) : 1;
        for (size_t j = 0; j < count; j++) {
            double fresh = next_normal(&state) * sd;
            values[j] =
                j == 0 ? fresh : rho * values[j - 1] + sqrt(1 - rho * rho) * fresh;
        }
        noisy->of[i] =
            (struct noisy_one){hp_trend_slope(times, values),
                               hp_trend_of_all(times, values, any).least, 0, INFINITY};
    }
    return noisy;
}

void hp_noisy_series_free(struct hp_noisy_series *noisy) {
    if (noisy) {
        free(noisy->values);
    }
    free(noisy);
}

// Set the slopes that the tests need; `variance` is that of hp_trend_of_sampling().
static void set_needed(struct hp_noisy_series *noisy, double sd, double variance) {
    for (size_t j = 0; j < noisy->count; j++) {
        noisy->shown[j] = 0;
    }
    double by_sampling = hp_trend_of_sampling(noisy->times, noisy->shown, variance).least;
    noisy->sd = sd;
    for (size_t i = 0; i < SERIES; i++) {
        const struct noisy_one *one = &noisy->of[i];
        double least = fmin(sd * one->slope + by_sampling, sd * one->least);
        noisy->needed[i] = fmax(-least, 0);
    }
}

// Whether the report marks a series of standard deviation 1 with a slope, if its tests
// find growth.  A slope above one that is marked is taken to be marked, too.
static bool looks_steady(struct hp_noisy_series *noisy, size_t i, double slope) {
    struct noisy_one *one = &noisy->of[i];
    if (slope <= one->below || slope >= one->from) {
        return slope >= one->from;
    }
    for (size_t j = 0; j < noisy->count; j++) {
        noisy->shown[j] =
            noisy->values[i * noisy->count + j] + slope * hp_trend_time(noisy->times, j);
    }
    bool is_line = hp_trend_is_line(noisy->times, noisy->shown);
    bool is_steady =
        hp_trend_shape_of(noisy->shown, noisy->count, is_line) == HP_TREND_STEADY;
    *(is_steady ? &one->from : &one->below) = slope;
    return is_steady;
}

// Whether enough series with a slope are marked.  Stops where the rest cannot change the
// result.
static bool are_enough(struct hp_noisy_series *noisy, double slope) {
    size_t marked = 0, i = 0;
    for (; marked < FOUND_IN && i - marked <= SERIES - FOUND_IN; i++) {
        marked += slope > noisy->needed[i] &&
                  (noisy->sd <= 0 || looks_steady(noisy, i, slope / noisy->sd));
    }
    return marked >= FOUND_IN;
}

// Return the smallest needed slope that most of the tests find.
static double quantile_of(const struct hp_noisy_series *noisy) {
    double sorted[SERIES];
    memcpy(sorted, noisy->needed, sizeof sorted);
    qsort(sorted, SERIES, sizeof *sorted, by_value);
    return sorted[FOUND_IN - 1];
}

double hp_detectable_slope(struct hp_noisy_series *noisy, double sd, double variance) {
    set_needed(noisy, sd, variance);
    double low = quantile_of(noisy), high = low;
    for (int i = 0; i < DOUBLINGS && !are_enough(noisy, high); i++) {
        low = high;
        high *= step_of_slopes;
    }
    for (int i = 0; i < SLOPE_HALVINGS && low < high; i++) {
        double middle = (low + high) / 2;
        if (are_enough(noisy, middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}
