// B_j is the value at dump j of m dumps, t_j its time, V_j the variance that sampling
// leaves in it.
//
// Sampling.  The slope is b = sum a_j B_j with a_j = (t_j - t) / sum (t_j - t)^2, where t
// is the mean time.  A sampled object is in several consecutive dumps, so that the dumps
// of one process are not independent.  For any lifetimes,
//
//     Var(b) <= A sum |a_j| V_j, A = sum of the positive a_j
//
// The line.  B = X beta + e with Corr(e_i, e_j) = rho^(|t_i - t_j| / d), where d is the
// mean distance of times: an AR(1) process.  For each rho of a grid, generalized least
// squares gives the slope, its standard error from the residuals, Student's t with m - 2
// degrees of freedom, and the restricted likelihood
//
//     -2 l(rho) = log |R| + log |X' R^-1 X| + (m - 2) log RSS
//
// where R is the correlation matrix of e, the rows of X are (1, t_j), and RSS is the sum
// of squares of the whitened residuals.
// The data contain little information about rho, so that using its best value only would
// be overconfident.  Instead the least significant result of all rho with 2 (max l - l)
// <= 1.64 is used (a likelihood region of 80 %).  With the whitened values w_j = (B_j -
// phi_j B_j-1) / sqrt(1 - phi_j^2), phi_j = rho^(dt_j / d), all of this is ordinary least
// squares.
//
// The parts.  The slopes of four parts with equal numbers of dumps are compared by a t
// test with 3 degrees of freedom (Ibragimov and Mueller, 2010).  The test assumes nothing
// about the correlation of values except that parts are almost uncorrelated.  It covers
// series that are no AR(1) process: a random walk with added white noise.
#include "stats/trend.h"

#include "base/memory.h"
#include "stats/distributions.h"
#include "stats/whitening.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Largest difference between twice the restricted log likelihood of an autocorrelation
// and that of the best one, at which its result counts: 80 % of chi^2 with 1 degree of
// freedom.
static const double region = 1.64;
// Smallest part of a wave that is treated as different from the level.
static const double least_part = 1e-6;
static const double pi = 3.14159265358979323846;

// Number of parts that a series is divided into for a test.
enum {
    PARTS = 4,
};

// For one rho, orthonormal bases of a line and of half a wave, both whitened.  The line
// has the vectors level and rise, the wave has level and two vectors of its own.
struct trend_line {
    struct hp_whitening whitening;
    double *level, *rise, *wave[2];
    double length;  // length of the whitened times after the level was removed
    double log_det; // log |R| + log |X' R^-1 X|
};

// The data of the tests for growth that depend on the times of the dumps only.
struct hp_trend_times {
    size_t count;
    double *times;
    double positive;                   // A: the sum of the positive a_j
    double z_end, line_end, parts_end; // quantiles for the bounds of the three procedures
    struct trend_line lines[HP_CORRELATIONS]; // one for each rho; the first has rho = 0
};

// --- times -----------------------------------------------------------------------------

// Compute vector i of the half wave for one correlation from `values`: whiten it, make it
// orthogonal to the vectors before, and normalize it.  It is 0 if only rounding errors
// remain of it.
static void set_wave(struct trend_line *line, const double *values, size_t count, int i) {
    double *wave = line->wave[i];
    for (size_t j = 0; j < count; j++) {
        wave[j] = hp_whitened(&line->whitening, values, j);
    }
    hp_normalize(wave, count);
    hp_make_orthogonal(wave, line->level, count);
    if (i > 0) {
        hp_make_orthogonal(wave, line->wave[0], count);
    }
    if (hp_normalize(wave, count) < least_part) {
        memset(wave, 0, count * sizeof *wave);
    }
}

// Compute both vectors of the half wave: a sine and a cosine.
static void make_waves(struct trend_line *line, const double *times, size_t count) {
    double *values = hp_alloc(count * sizeof *values);
    double mean = (times[count - 1] - times[0]) / (double)(count - 1);
    for (int i = 0; i < 2; i++) {
        for (size_t j = 0; j < count && mean > 0; j++) {
            double angle = pi * times[j] / mean / (double)count;
            values[j] = i == 0 ? sin(angle) : cos(angle);
        }
        set_wave(line, values, count, i);
    }
    free(values);
}

// Compute the vectors of the line and of the half wave for one rho.
static void make_line(struct trend_line *line, const double *times, size_t count,
                      double rho) {
    double *room = line->level = hp_alloc(4 * count * sizeof *room);
    line->rise = room + count;
    line->wave[0] = room + 2 * count;
    line->wave[1] = room + 3 * count;
    hp_whitening_init(&line->whitening, times, count, rho);
    const struct hp_whitening *white = &line->whitening;
    for (size_t j = 0; j < count; j++) {
        line->level[j] = (1 - white->carry[j]) * white->scale[j];
        line->rise[j] = hp_whitened(&line->whitening, times, j);
    }
    double height = hp_normalize(line->level, count);
    hp_make_orthogonal(line->rise, line->level, count);
    line->length = hp_normalize(line->rise, count);
    line->log_det = line->whitening.log_r + 2 * log(height) + 2 * log(line->length);
    make_waves(line, times, count);
}

// Return the t that Student's t exceeds with probability alpha, or 0 for alpha >= 0.5.
static double student_end(double alpha, double freedom) {
    return alpha < 0.5 ? hp_student_quantile_above(alpha, freedom) : 0;
}

struct hp_trend_times *hp_trend_times_new(const double *times, size_t count,
                                          double confidence) {
    struct hp_trend_times *made = hp_alloc(sizeof *made);
    double alpha = 1 - confidence, mean = 0;
    made->count = count;
    made->times = hp_alloc(count * sizeof *made->times);
    for (size_t j = 0; j < count; j++) {
        mean += (times[j] - times[0]) / (double)count;
    }
    for (size_t j = 0; j < count; j++) { // times near 0 keep their digits
        made->times[j] = times[j] - times[0] - mean;
    }
    size_t lines = count < HP_TREND_LEAST ? 1 : HP_CORRELATIONS;
    for (size_t i = 0; i < lines; i++) {
        make_line(&made->lines[i], made->times, count, hp_correlations[i]);
    }
    for (size_t j = 0; j < count; j++) {
        made->positive += fmax(hp_trend_weight(made, j), 0);
    }
    made->z_end = hp_normal_quantile_above(alpha);
    made->line_end = count > 2 ? student_end(alpha, (double)count - 2) : 0;
    made->parts_end = student_end(alpha, PARTS - 1);
    return made;
}

void hp_trend_times_free(struct hp_trend_times *times) {
    for (size_t i = 0; times && i < HP_CORRELATIONS; i++) {
        hp_whitening_done(&times->lines[i].whitening);
        free(times->lines[i].level);
    }
    if (times) {
        free(times->times);
    }
    free(times);
}

// --- sampling --------------------------------------------------------------------------

// Return the result for a slope without error: it is certain whether it is above 0.
static struct hp_rise certain(double slope) {
    return (struct hp_rise){slope > 0 ? 0 : 1, slope};
}

double hp_trend_time(const struct hp_trend_times *times, size_t i) {
    return times->times[i];
}

double hp_trend_weight(const struct hp_trend_times *times, size_t i) {
    const struct trend_line *line = &times->lines[0];
    return line->length > 0 ? line->rise[i] / line->length : 0;
}

double hp_trend_slope(const struct hp_trend_times *times, const double *values) {
    double sum = 0;
    for (size_t i = 1; i < times->count; i++) { // equal values give exactly 0
        sum += hp_trend_weight(times, i) * (values[i] - values[0]);
    }
    return sum;
}

struct hp_rise hp_trend_of_sampling(const struct hp_trend_times *times,
                                    const double *values, double variance) {
    double slope = hp_trend_slope(times, values), sd = sqrt(variance * times->positive);
    return sd > 0
               ? (struct hp_rise){hp_normal_above(slope / sd), slope - times->z_end * sd}
               : certain(slope);
}

// --- the line --------------------------------------------------------------------------

// Result of fitting a line to values from which one autocorrelation was removed.
struct fit {
    double slope, error; // slope of the line, and its standard error
    double likelihood;   // twice the restricted log likelihood, 2 l
};

// Fit a line to whitened values.  The first value is subtracted first, so that large
// values keep their digits.
static struct fit fit_line(const struct trend_line *line, const double *values,
                           size_t count) {
    const struct hp_whitening *whitening = &line->whitening;
    double level = 0, rise = 0, squares = 0, before = 0;
    for (size_t j = 0; j < count; j++) {
        double value = values[j] - values[0];
        double white = (value - whitening->carry[j] * before) * whitening->scale[j];
        level += line->level[j] * white;
        rise += line->rise[j] * white;
        squares += white * white;
        before = value;
    }
    double freedom = (double)count - 2;
    // The residuals are at least as large as rounding errors, even if the values are
    // exactly a line.
    double rest = fmax(squares - level * level - rise * rise, squares * DBL_EPSILON);
    return (struct fit){
        .slope = rise / line->length,
        .error = sqrt(rest / freedom) / line->length,
        .likelihood = -line->log_det - freedom * log(rest),
    };
}

// Whether all values are equal.
static bool are_equal(const double *values, size_t count) {
    for (size_t j = 1; j < count; j++) {
        if (values[j] != values[0]) {
            return false;
        }
    }
    return true;
}

struct hp_rise hp_trend_of_line(const struct hp_trend_times *times,
                                const double *values) {
    struct fit fits[HP_CORRELATIONS];
    double best = -INFINITY, t = INFINITY, least = INFINITY;
    if (times->lines[0].length <= 0 || are_equal(values, times->count)) {
        return certain(0);
    }
    for (size_t i = 0; i < HP_CORRELATIONS; i++) {
        fits[i] = fit_line(&times->lines[i], values, times->count);
        best = fmax(best, fits[i].likelihood);
    }
    for (size_t i = 0; i < HP_CORRELATIONS; i++) {
        if (best - fits[i].likelihood <= region) {
            t = fmin(t, fits[i].slope / fits[i].error);
            least = fmin(least, fits[i].slope - times->line_end * fits[i].error);
        }
    }
    return (struct hp_rise){hp_student_above(t, (double)times->count - 2), least};
}

// Indices of the two models that are compared: a line, and half a wave.
enum {
    LINE,
    WAVE,
};

// Compute 2 log L (L: the likelihood) of the line and of half a wave for one correlation,
// and update the maxima in `best`.
static void fit_both(const struct trend_line *line, const double *values, size_t count,
                     double best[2]) {
    double squares = 0, level = 0, rise = 0, sine = 0, cosine = 0;
    for (size_t j = 0; j < count; j++) {
        double white = hp_whitened(&line->whitening, values, j);
        squares += white * white;
        level += white * line->level[j];
        rise += white * line->rise[j];
        sine += white * line->wave[0][j];
        cosine += white * line->wave[1][j];
    }
    double rests[] = {squares - level * level - rise * rise,
                      squares - level * level - sine * sine - cosine * cosine};
    for (int i = LINE; i <= WAVE; i++) {
        double rest = fmax(rests[i], squares * DBL_EPSILON);
        best[i] = fmax(best[i], -line->whitening.log_r - (double)count * log(rest));
    }
}

bool hp_trend_is_line(const struct hp_trend_times *times, const double *values) {
    size_t count = times->count;
    double best[] = {-INFINITY, -INFINITY};
    double *off = hp_alloc(count * sizeof *off);
    for (size_t j = 0; j < count; j++) {
        off[j] = values[j] - values[0];
    }
    for (size_t i = 0; i < HP_CORRELATIONS; i++) {
        fit_both(&times->lines[i], off, count, best);
    }
    free(off);
    return best[LINE] >= best[WAVE];
}

// --- parts -----------------------------------------------------------------------------

// Compute the slope of one part of a series.  Returns false if all its dumps were made at
// the same time, so that it has no slope.
static bool slope_of_part(const double *times, const double *values, size_t count,
                          double *slope) {
    double mean = 0, squares = 0, sum = 0;
    for (size_t j = 0; j < count; j++) {
        mean += times[j] / (double)count;
    }
    for (size_t j = 0; j < count; j++) {
        squares += (times[j] - mean) * (times[j] - mean);
        sum += (times[j] - mean) * (values[j] - values[0]);
    }
    *slope = squares > 0 ? sum / squares : 0;
    return squares > 0;
}

struct hp_rise hp_rise_of_parts(const double *times, const double *values, size_t count,
                                size_t parts, double end) {
    double slopes[HP_MOST_PARTS], mean = 0, squares = 0, largest = 0;
    for (size_t i = 0; i < parts; i++) {
        size_t from = count * i / parts, to = count * (i + 1) / parts;
        if (!slope_of_part(times + from, values + from, to - from, &slopes[i])) {
            // Without a slope of each part nothing is known.
            return (struct hp_rise){1, -INFINITY};
        }
        mean += slopes[i] / (double)parts;
        largest = fmax(largest, fabs(slopes[i]));
    }
    for (size_t i = 0; i < parts; i++) {
        squares += (slopes[i] - mean) * (slopes[i] - mean);
    }
    // The error is at least as large as rounding errors, even if all slopes are equal.
    double freedom = (double)parts - 1;
    double error = fmax(sqrt(squares / freedom / (double)parts), largest * DBL_EPSILON);
    return error > 0 ? (struct hp_rise){hp_student_above(mean / error, freedom),
                                        mean - end * error}
                     : certain(0);
}

struct hp_rise hp_trend_of_parts(const struct hp_trend_times *times,
                                 const double *values) {
    return hp_rise_of_parts(times->times, values, times->count, PARTS, times->parts_end);
}

// --- all -------------------------------------------------------------------------------

// Combine the results of two tests: return the larger p-value and the smaller bound.
static struct hp_rise less_sure(struct hp_rise a, struct hp_rise b) {
    return (struct hp_rise){fmax(a.p, b.p), fmin(a.least, b.least)};
}

struct hp_rise hp_trend_of_all(const struct hp_trend_times *times, const double *values,
                               struct hp_rise sampling) {
    if (times->count < HP_TREND_LEAST) {
        return sampling;
    }
    struct hp_rise line = hp_trend_of_line(times, values);
    struct hp_rise parts = hp_trend_of_parts(times, values);
    return less_sure(sampling, less_sure(line, parts));
}

// --- Kendall's tau ---------------------------------------------------------------------

// Number of pairs of values in which the later one is smaller, and of equal pairs;
// counted by sorting (Knight, 1966).
struct pairs {
    double down, equal;
};

// Merge two sorted halves into `to`, and count the pairs in which the value of the second
// half is smaller.
static void merge_halves(const double *from, size_t middle, size_t count, double *to,
                         struct pairs *pairs) {
    for (size_t i = 0, k = middle, at = 0; at < count; at++) {
        bool is_second = i == middle || (k < count && from[k] < from[i]);
        pairs->down += is_second ? (double)(middle - i) : 0;
        to[at] = is_second ? from[k++] : from[i++];
    }
}

// Return the number of pairs of equal values.
static double equal_pairs(const double *sorted, size_t count) {
    double equal = 0, run = 0;
    for (size_t i = 1; i < count; i++) {
        run = sorted[i] > sorted[i - 1] ? 0 : run + 1;
        equal += run;
    }
    return equal;
}

double hp_trend_tau(const double *values, size_t count) {
    double *room = hp_alloc(2 * count * sizeof *room), *from = room, *to = room + count;
    struct pairs pairs = {0, 0};
    memcpy(from, values, count * sizeof *from);
    for (size_t half = 1; half < count; half *= 2) {
        for (size_t at = 0; at < count; at += 2 * half) {
            size_t left = count - at, size = left < 2 * half ? left : 2 * half;
            merge_halves(from + at, half < size ? half : size, size, to + at, &pairs);
        }
        double *sorted = to;
        to = from;
        from = sorted;
    }
    pairs.equal = equal_pairs(from, count);
    free(room);
    double all = (double)count * ((double)count - 1) / 2, differ = all - pairs.equal;
    return differ > 0 ? (differ - 2 * pairs.down) / sqrt(all * differ) : 0;
}
