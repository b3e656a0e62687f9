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
// in a series if it is above -L, where L is the smallest bound for the e_j alone.  A
// growth also has to look steady.  The slope is sought that is marked in four of five
// series of pseudo-random e_j.
//
// The objects of the growth are sampled, too: each step adds the variance N b, where N is
// that of a byte.  So e_j is a sum s (sqrt(1 - u) x_j + sqrt(u) w_j) of values around 0
// and of a random walk, s^2 = v + N b, u = N b / s^2.  The bounds are known for several u,
// and the share of marked series is interpolated between these.
//
// If the standard deviation of the x_j is an estimate, each series has another one, by the
// distribution that the estimate leaves.  The correlation of n residuals is too low by
// about (2 + 4 r) / n.  In a short series it is taken as 0: it hardly matters there.
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
    POINTS = 16,   // intervals that each chi-squared distribution is divided into
    HALVINGS = 60, // steps of a search for a number
    TRIES = 40,    // limit of the steps of a faster search
    NODES = 6,     // degrees of freedom for which quantiles are computed
    // Fewest pseudo-random series, and values of all these if more of them are short.
    SERIES = 400,
    VALUES = 6400,
    SHARES = 4, // steps of the share of a variance that is by growth
    // Doublings of a slope until it is marked, and halvings after these.
    DOUBLINGS = 40,
    SLOPE_HALVINGS = 10,
    FEW = 7, // values that do not show their correlation
    // Dumps of a series in which the correlation changes little, and rather finds less if
    // there is none.
    SHORT = 15,
};

static const double share = 0.8; // in which a change is to be found
// Limit of a correlation, beyond which values are a random walk.
static const double most_correlated = 0.95;
static const double most = 0x1p100;    // limit of a change, in bytes
static const double most_errors = 1e6; // limit of a difference, in standard errors
static const double near = 1e-7;       // of a share to the one that is sought
static const double pi = 3.14159265358979323846;

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

// Quantiles of Student's t for one level and many degrees of freedom.  The logarithm of
// a quantile, as a function of 1 / freedom, is nearly a line: it is a polynomial through
// a few values.
struct quantiles {
    double pooled; // for all values of both sides together
    double at[NODES], logs[NODES];
};

static void set_quantiles(struct quantiles *of, const size_t count[2], double level) {
    double least = fmax(fmin((double)count[0], (double)count[1]) - 1, 1);
    double freedom = (double)(count[0] + count[1]) - 2;
    double middle = (1 / least + 1 / freedom) / 2, half = 1 / least - middle;
    of->pooled = hp_student_quantile_above(level, freedom);
    for (int i = 0; i < NODES; i++) { // Chebyshev's nodes
        of->at[i] = middle + half * cos(pi * (i + 0.5) / NODES);
        of->logs[i] = log(hp_student_quantile_above(level, 1 / of->at[i]));
    }
}

static double quantile_of(const struct quantiles *of, double freedom) {
    double sum = 0;
    for (int i = 0; i < NODES; i++) { // Lagrange's form
        double term = of->logs[i];
        for (int k = 0; k < NODES; k++) {
            term *= k == i ? 1 : (1 / freedom - of->at[k]) / (of->at[i] - of->at[k]);
        }
        sum += term;
    }
    return exp(sum);
}

// Return the difference that both tests find if the sides show these variances.
static double least_of(const size_t count[2], const double variances[2],
                       const struct quantiles *of) {
    double sum = 0, all = 0, parts = 0, reach = 0;
    for (int i = 0; i < 2; i++) {
        double n = (double)count[i], mean = variances[i] / n;
        sum += (n - 1) * variances[i];
        reach += 1 / n;
        all += mean;
        parts += n > 1 ? mean * mean / (n - 1) : 0;
    }
    double least = of->pooled * sqrt(sum / ((double)(count[0] + count[1]) - 2));
    if (count[0] > 1 && count[1] > 1) {
        double welch = quantile_of(of, all * all / parts);
        least = fmax(least, welch * sqrt(all / reach));
    }
    return least;
}

struct hp_side_power *hp_side_power_new(const size_t count[2], double level) {
    struct hp_side_power *power = hp_alloc(sizeof *power);
    struct quantiles quantiles;
    double points[2][POINTS];
    set_quantiles(&quantiles, count, level);
    for (int i = 0; i < 2; i++) {
        set_points(points[i], (double)count[i] - 1);
    }
    for (int i = 0; i < POINTS * POINTS; i++) {
        double variances[2] = {points[0][i / POINTS], points[1][i % POINTS]};
        power->least[i] = least_of(count, variances, &quantiles);
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

// Return the mean of found(), if the unit of both differences is the estimate of an error.
static double found_by_estimate(const struct hp_side_power *power, double least,
                                double difference, const double *estimates) {
    double sum = 0;
    for (int i = 0; estimates && i < POINTS; i++) {
        double unit = sqrt(estimates[i]);
        sum += found(power, least * unit, difference * unit);
    }
    return estimates ? sum / POINTS : found(power, least, difference);
}

double hp_detectable_difference(const struct hp_side_power *power, double least,
                                double freedom) {
    double estimates[POINTS], low = 0, high = 1, under = -share;
    const double *used = isinf(freedom) ? NULL : estimates;
    if (least > most_errors) {
        return least; // the other test decides alone
    }
    if (used) {
        set_points(estimates, freedom);
    }
    double over = found_by_estimate(power, least, high, used) - share;
    while (over < 0 && high < most_errors) {
        low = high;
        under = over;
        high *= 2;
        over = found_by_estimate(power, least, high, used) - share;
    }
    for (int i = 0, side = 0; i < TRIES && over > near && under < -near; i++) {
        // Where a line through both ends is 0 (the Illinois method).
        double middle = low + (high - low) * under / (under - over);
        double now = found_by_estimate(power, least, middle, used) - share;
        if (now < 0) {
            low = middle;
            under = now;
            over /= side < 0 ? 2 : 1;
            side = -1;
        } else {
            high = middle;
            over = now;
            under /= side > 0 ? 2 : 1;
            side = 1;
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

// One of the series, with the standard deviation 1, and what the tests say.
struct noisy_one {
    double slope; // of the line fitted to it
    double least; // the smallest lower bound by the line and by parts
    // With a slope up to `below` it is not marked, with one of `from` or more it is.
    double below, from;
};

// All series, if this share of their variance is by the growth itself.
struct noisy_share {
    double *values; // of all series, one after another
    struct noisy_one *of;
};

struct hp_noisy_series {
    const struct hp_trend_times *times;
    size_t count;  // dumps of a series
    size_t series; // number of series
    double step;   // mean distance of times
    // Values around 0 with the standard deviation 1, and random walks with it in each
    // step.
    double *around, *walks;
    double *shown;                         // room for the values of one series
    struct noisy_share shares[SHARES + 1]; // made when they are needed
};

// Fill in one series and its random walk.
static void make_one(struct hp_noisy_series *noisy, size_t i, double sd, double rho,
                     uint64_t *state) {
    double *around = noisy->around + i * noisy->count;
    double *walk = noisy->walks + i * noisy->count;
    for (size_t j = 0; j < noisy->count; j++) {
        double fresh = next_normal(state) * sd;
        around[j] = j == 0 ? fresh : rho * around[j - 1] + sqrt(1 - rho * rho) * fresh;
    }
    for (size_t j = 1; j < noisy->count; j++) {
        walk[j] = walk[j - 1] + next_normal(state);
    }
}

struct hp_noisy_series *hp_noisy_series_new(const struct hp_trend_times *times,
                                            size_t count, struct hp_noise noise) {
    struct hp_noisy_series *noisy = hp_alloc(sizeof *noisy);
    double points[POINTS], first = hp_trend_time(times, 0);
    uint64_t state = 1;
    size_t series = VALUES / count > SERIES ? VALUES / count : SERIES;
    series -= series % POINTS;
    set_points(points, noise.freedom);
    *noisy = (struct hp_noisy_series){.times = times, .count = count, .series = series};
    noisy->around = hp_alloc((2 * series + 1) * count * sizeof *noisy->around);
    noisy->walks = noisy->around + series * count;
    noisy->shown = noisy->walks + series * count;
    for (size_t i = 0; i < series; i++) {
        double sd = noise.freedom > 0 ? 1 / sqrt(points[i % POINTS]) : 1;
        make_one(noisy, i, sd, count > SHORT ? noise.correlation : 0, &state);
    }
    noisy->step = (hp_trend_time(times, count - 1) - first) / (double)(count - 1);
    return noisy;
}

void hp_noisy_series_free(struct hp_noisy_series *noisy) {
    for (size_t i = 0; noisy && i <= SHARES; i++) {
        free(noisy->shares[i].values);
        free(noisy->shares[i].of);
    }
    if (noisy) {
        free(noisy->around);
    }
    free(noisy);
}

// Return the series of which `number` / SHARES of the variance is by the growth.
static struct noisy_share *share_of(struct hp_noisy_series *noisy, size_t number) {
    static const struct hp_rise any = {0, INFINITY};
    struct noisy_share *made = &noisy->shares[number];
    double walk = sqrt((double)number / SHARES);
    double rest = sqrt(1 - (double)number / SHARES);
    if (made->of) {
        return made;
    }
    made->of = hp_alloc(noisy->series * sizeof *made->of);
    made->values = hp_alloc(noisy->series * noisy->count * sizeof *made->values);
    for (size_t i = 0; i < noisy->series; i++) {
        double *values = made->values + i * noisy->count;
        for (size_t j = 0; j < noisy->count; j++) {
            size_t at = i * noisy->count + j;
            values[j] = rest * noisy->around[at] + walk * noisy->walks[at];
        }
        made->of[i] = (struct noisy_one){hp_trend_slope(noisy->times, values),
                                         hp_trend_of_all(noisy->times, values, any).least,
                                         0, INFINITY};
    }
    return made;
}

// Whether the report marks a series of standard deviation 1 with a slope, if its tests
// find growth.  A slope above one that is marked is taken to be marked, too.
static bool looks_steady(const struct hp_noisy_series *noisy,
                         const struct noisy_share *of, size_t i, double slope) {
    struct noisy_one *one = &of->of[i];
    if (slope <= one->below || slope >= one->from) {
        return slope >= one->from;
    }
    for (size_t j = 0; j < noisy->count; j++) {
        noisy->shown[j] =
            of->values[i * noisy->count + j] + slope * hp_trend_time(noisy->times, j);
    }
    bool is_steady = // is_line last, as it takes most of the time
        hp_trend_shape_of(noisy->shown, noisy->count, true) == HP_TREND_STEADY &&
        hp_trend_is_line(noisy->times, noisy->shown);
    *(is_steady ? &one->from : &one->below) = slope;
    return is_steady;
}

// A slope, and what the values vary by with it: their standard deviation, and the lower
// bound of the test of sampling for a slope that is estimated as 0.
struct trial {
    double slope, sd, by_sampling;
};

// Return the share of the series in which a slope is marked.
static double marked_of(struct hp_noisy_series *noisy, size_t number,
                        struct trial trial) {
    const struct noisy_share *of = share_of(noisy, number);
    size_t marked = 0;
    for (size_t i = 0; i < noisy->series; i++) {
        const struct noisy_one *one = &of->of[i];
        double least =
            fmin(trial.sd * one->slope + trial.by_sampling, trial.sd * one->least);
        marked += trial.slope > fmax(-least, 0) &&
                  (trial.sd <= 0 || looks_steady(noisy, of, i, trial.slope / trial.sd));
    }
    return (double)marked / (double)noisy->series;
}

// Return the lower bound of the test of sampling for a slope that is estimated as 0.
static double by_sampling(struct hp_noisy_series *noisy, double variance) {
    memset(noisy->shown, 0, noisy->count * sizeof *noisy->shown);
    return hp_trend_of_sampling(noisy->times, noisy->shown, variance).least;
}

// Return the share of series in which a slope is marked, from the two shares of the
// variance that are nearest.
static double marked_at(struct hp_noisy_series *noisy, struct hp_slope_noise of,
                        double slope) {
    double grown = of.noise_per_byte * slope * noisy->step;
    double squares = of.sd * of.sd + grown;
    double at = squares > 0 ? grown / squares * SHARES : 0, below = floor(at);
    struct trial trial = {slope, sqrt(squares),
                          by_sampling(noisy,
                                      of.variance + slope * of.variance_per_slope)};
    double marked = marked_of(noisy, (size_t)below, trial);
    if (at > below) {
        marked += (at - below) * (marked_of(noisy, (size_t)below + 1, trial) - marked);
    }
    return marked;
}

double hp_detectable_slope(struct hp_noisy_series *noisy, struct hp_slope_noise of) {
    double span = noisy->step * (double)(noisy->count - 1), low = 0;
    double high = fmax(of.sd / span, -by_sampling(noisy, of.variance));
    for (int i = 0; i < DOUBLINGS && marked_at(noisy, of, high) < share; i++) {
        low = high;
        high *= 2;
    }
    for (int i = 0; i < SLOPE_HALVINGS && low < high; i++) {
        double middle = (low + high) / 2;
        if (marked_at(noisy, of, middle) < share) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}
