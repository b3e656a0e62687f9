// Shapes are defined by the increments D_j = B_j - B_j-1 of the values B_j of consecutive
// dumps, and their robust standard deviation s = 1.4826 times the median of |D_j - their
// median|.
//
// A step: the largest increment D is >= 5 s and >= 2 % of the mean of the values, and
// (mean after it - mean before it) / D is between 0.5 and 1.5.
//
// Levelled, if it is no step: for the means m1, m2, m3 of thirds of the series m1 < m2,
// m3 - m2 is between -0.1 s and 0.35 (m2 - m1), m3 - m1 > 4 s and m3 - m1 > 5 % of m3.
//
// A cycle, if it is neither: with r(k) the autocorrelation of the values around their
// line at a distance of k dumps, normalized by the number of pairs,
//
//     r(k) >= 0.5 and some r(j) <= -0.3, j < k, for a k from 4 to a third of the dumps
//
// and the line rises by no more than the values swing around it: a larger rise is more
// than a cycle.  With these limits the series has at least three cycles of several dumps
// each, and values that are high become high again after they were low.  A process with
// short memory has r(k) that only falls.  A random walk, whose line removes its slow
// part, swings once or twice in a series, which is why k is limited to a third of the
// dumps and not to a half.
//
// Least squares with a penalty for each parameter would classify most random walks as
// steps.
#include "stats/trend_shape.h"

#include "base/memory.h"
#include "stats/trend.h"

#include <math.h>
#include <stdlib.h>

// Factor from the median absolute deviation of a normal distribution to its standard
// deviation.
static const double robust = 1.4826;
static const double step_sds = 5, step_share = 0.02, step_low = 0.5, step_high = 1.5;
static const double level_sds = 4, level_share = 0.05, level_low = -0.1,
                    level_high = 0.35;
static const double cycle_high = 0.5, cycle_low = -0.3;
// Autocorrelations closer to a limit than this are computed exactly.  Rounding errors are
// far smaller.
static const double unsure = 1e-6;
static const double pi = 3.14159265358979323846;

enum {
    LEAST_PERIOD = 4, // smallest period of a cycle, in dumps
    // Number of dumps from which on all autocorrelations are computed together, by a
    // Fourier transform.
    LONG = 1024,
};

// Return the mean of values[from ... to - 1].
static double mean_of(const double *values, size_t from, size_t to) {
    double sum = 0;
    for (size_t j = from; j < to; j++) {
        sum += values[j] / (double)(to - from);
    }
    return sum;
}

// --- increments ------------------------------------------------------------------------

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// Return the median.  Sorts the values.
static double median_of(double *values, size_t count) {
    qsort(values, count, sizeof *values, by_size);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

// Return the robust standard deviation of the increments from each value to the next.
static double robust_sd(const double *values, size_t count) {
    size_t steps = count - 1;
    double *off = hp_alloc(steps * sizeof *off);
    for (size_t j = 0; j < steps; j++) {
        off[j] = values[j + 1] - values[j];
    }
    double median = median_of(off, steps);
    for (size_t j = 0; j < steps; j++) {
        off[j] = fabs(off[j] - median);
    }
    double sd = robust * median_of(off, steps);
    free(off);
    return sd;
}

// --- shapes ----------------------------------------------------------------------------

size_t hp_trend_step_of(const double *values, size_t count) {
    size_t at = 1;
    for (size_t j = 2; j < count; j++) {
        at = values[j] - values[j - 1] > values[at] - values[at - 1] ? j : at;
    }
    return at;
}

// Whether the series is a step, by the definition at the top of this file.
static bool is_step(const double *values, size_t count, double sd) {
    size_t at = hp_trend_step_of(values, count);
    double largest = values[at] - values[at - 1];
    double apart = mean_of(values, at, count) - mean_of(values, 0, at);
    return largest > 0 && largest >= step_sds * sd &&
           largest >= step_share * mean_of(values, 0, count) &&
           apart >= step_low * largest && apart <= step_high * largest;
}

// Whether the series is levelled, by the definition at the top of this file.
static bool is_levelled(const double *values, size_t count, double sd) {
    double low = mean_of(values, 0, count / 3);
    double middle = mean_of(values, count / 3, 2 * count / 3);
    double high = mean_of(values, 2 * count / 3, count);
    double first = middle - low, second = high - middle;
    return first > 0 && second >= level_low * sd && second <= level_high * first &&
           high - low > level_sds * sd && high - low > level_share * high;
}

// Return the mean product of values that are `distance` dumps apart.
static double mean_product(const double *values, size_t count, size_t distance) {
    double sum = 0;
    for (size_t j = distance; j < count; j++) {
        sum += values[j] * values[j - distance];
    }
    return sum / (double)(count - distance);
}

// Return the values minus the line fitted to them, and set `*rise` to the rise of that
// line.  The caller frees the result.
static double *without_line(const double *values, size_t count, double *rise) {
    double mean = mean_of(values, 0, count), middle = (double)(count - 1) / 2;
    double squares = 0, slope = 0, *off = hp_alloc(count * sizeof *off);
    for (size_t j = 0; j < count; j++) {
        squares += ((double)j - middle) * ((double)j - middle);
        slope += ((double)j - middle) * (values[j] - mean);
    }
    slope /= squares;
    for (size_t j = 0; j < count; j++) {
        off[j] = values[j] - mean - slope * ((double)j - middle);
    }
    *rise = slope * (double)(count - 1);
    return off;
}

// Return the largest value minus the smallest one.
static double swing_of(const double *values, size_t count) {
    double low = values[0], high = values[0];
    for (size_t j = 1; j < count; j++) {
        low = fmin(low, values[j]);
        high = fmax(high, values[j]);
    }
    return high - low;
}

// --- cycles of long series -------------------------------------------------------------
//
// Computing the mean products at all distances one by one takes count^2 steps.  A Fourier
// transform takes count log count steps, but has rounding errors.  Where these could
// decide, the one product is computed directly, so that the result is the same as without
// the transform.

// Transform 2^n complex numbers in place (Cooley and Tukey).  `turns` has the roots of
// unity of half a circle.
static void transform(double *at, size_t count, const double *turns) {
    for (size_t i = 1, k = 0; i < count; i++) { // first reorder by reversed bits
        size_t bit = count / 2;
        for (; k & bit; bit /= 2) {
            k ^= bit;
        }
        k |= bit;
        for (size_t part = 0; part < 2 && i < k; part++) {
            double kept = at[2 * i + part];
            at[2 * i + part] = at[2 * k + part];
            at[2 * k + part] = kept;
        }
    }
    for (size_t half = 1; half < count; half *= 2) {
        for (size_t i = 0; i < count / 2; i++) {
            size_t place = i % half, first = (i - place) * 2 + place;
            const double *turn = &turns[2 * (place * (count / 2 / half))];
            double *a = &at[2 * first], *b = &at[2 * (first + half)];
            double real = b[0] * turn[0] - b[1] * turn[1];
            double other = b[0] * turn[1] + b[1] * turn[0];
            b[0] = a[0] - real;
            b[1] = a[1] - other;
            a[0] += real;
            a[1] += other;
        }
    }
}

// Return the autocorrelations of `off` at all distances up to a third of its length: the
// mean product divided by `whole`, the mean product at distance 0.  The caller frees the
// array.
static double *make_shares(const double *off, size_t count, double whole) {
    size_t room = 1;
    while (room < count + count / 3 + 1) { // padding, so that products do not wrap around
        room *= 2;
    }
    double *at = hp_alloc(3 * room * sizeof *at), *turns = at + 2 * room;
    for (size_t i = 0; i < room / 2; i++) {
        double angle = -2 * pi * (double)i / (double)room;
        turns[2 * i] = cos(angle);
        turns[2 * i + 1] = sin(angle);
    }
    for (size_t j = 0; j < count; j++) {
        at[2 * j] = off[j];
    }
    transform(at, room, turns);
    for (size_t i = 0; i < room; i++) {
        at[2 * i] = at[2 * i] * at[2 * i] + at[2 * i + 1] * at[2 * i + 1];
        at[2 * i + 1] = 0;
    }
    transform(at, room,
              turns); // for symmetric input the transform is its own inverse
    for (size_t k = 0; k <= count / 3; k++) {
        at[k] = at[2 * k] / (double)room / (double)(count - k) / whole;
    }
    return at;
}

// The autocorrelations of a series of `count` values `off`, from which a line was
// subtracted; `whole` is the mean product at distance 0.
struct shape_shares {
    const double *off;
    size_t count;
    double whole;
    double *near; // approximations by distance; NULL: compute each when it is needed
};

// Whether the autocorrelation at a distance is at least `limit`.  The exact value is only
// computed if the approximate one is too close to the limit.
static bool is_at_least(const struct shape_shares *shares, size_t distance,
                        double limit) {
    if (shares->near && fabs(shares->near[distance] - limit) > unsure) {
        return shares->near[distance] >= limit;
    }
    double product = mean_product(shares->off, shares->count, distance);
    return product / shares->whole >= limit;
}

// Whether the autocorrelation at a distance is at most `limit`.
static bool is_at_most(const struct shape_shares *shares, size_t distance, double limit) {
    if (shares->near && fabs(shares->near[distance] - limit) > unsure) {
        return shares->near[distance] <= limit;
    }
    double product = mean_product(shares->off, shares->count, distance);
    return product / shares->whole <= limit;
}

// Whether the autocorrelation is high again at a distance beyond one at which it is low,
// within the limits of a cycle.
static bool comes_back(const double *off, size_t count) {
    struct shape_shares shares = {off, count, mean_product(off, count, 0), NULL};
    bool was_low = false, found = false;
    if (!(shares.whole > 0)) {
        return false;
    }
    if (count >= LONG && isfinite(shares.whole)) {
        shares.near = make_shares(off, count, shares.whole);
    }
    for (size_t k = 1; k <= count / 3 && !found; k++) {
        found = k >= LEAST_PERIOD && was_low && is_at_least(&shares, k, cycle_high);
        was_low = was_low || is_at_most(&shares, k, cycle_low);
    }
    free(shares.near);
    return found;
}

// Whether the series is a cycle, by the definition at the top of this file.
static bool is_cycle(const double *values, size_t count) {
    double rise, *off = without_line(values, count, &rise);
    bool found = fabs(rise) <= swing_of(off, count) && comes_back(off, count);
    free(off);
    return found;
}

enum hp_trend_shape hp_trend_shape_of(const double *values, size_t count, bool is_line) {
    if (count < HP_TREND_LEAST) {
        return HP_TREND_NONE;
    }
    double sd = robust_sd(values, count);
    return is_step(values, count, sd)       ? HP_TREND_STEP
           : is_levelled(values, count, sd) ? HP_TREND_LEVELLED
           : is_cycle(values, count)        ? HP_TREND_CYCLE
           : is_line                        ? HP_TREND_STEADY
                                            : HP_TREND_NONE;
}

const char *hp_trend_shape_name(enum hp_trend_shape shape) {
    static const char *const names[] = {
        [HP_TREND_NONE] = "none",   [HP_TREND_STEADY] = "steady",
        [HP_TREND_STEP] = "step",   [HP_TREND_LEVELLED] = "levelled",
        [HP_TREND_CYCLE] = "cycle", [HP_TREND_SINCE] = "since",
    };
    return names[shape];
}

const char *hp_trend_shape_label(enum hp_trend_shape shape) {
    return shape == HP_TREND_NONE       ? "-"
           : shape == HP_TREND_LEVELLED ? "plateau"
                                        : hp_trend_shape_name(shape);
}
