// Of the increments D_j = B_j - B_j-1 with the robust standard deviation s = 1.4826 times the
// median of |D_j - their median|:
//
// A step: the largest increment D is >= 5 s and >= 2 % of the mean of the values, and
// (mean after it - mean before it) / D lies in 0.5 ... 1.5.
//
// Levelled, and no step: of the means m1, m2, m3 of thirds m1 < m2, m3 - m2 lies in
// -0.1 s ... 0.35 (m2 - m1), m3 - m1 > 4 s and > 5 % of m3.
//
// A cycle, and neither: with r(k) the autocorrelation of the values around their line at a
// distance of k dumps, each of the mean product of its pairs,
//
//     r(k) >= 0.5 and some r(j) <= -0.3, j < k, for a k from 4 to a third of the dumps
//
// so that three of them are seen, each of some dumps, and what is high comes back after it was
// low; and the line rises by no more than values swing around it: what rises further is more
// than a cycle.  A process that forgets has r(k) that only falls, and a walk, whose line takes
// its slow part away, swings once or twice in a series: that is why a third is asked for and
// not a half.
//
// Least squares with a penalty for each parameter would call most walks a step.
#include "stats/trend_shape.h"

#include "base/memory.h"
#include "stats/trend.h"

#include <math.h>
#include <stdlib.h>

static const double robust =
    1.4826; // median deviations of a normal distribution in one sd
static const double step_sds = 5, step_share = 0.02, step_low = 0.5, step_high = 1.5;
static const double level_sds = 4, level_share = 0.05, level_low = -0.1,
                    level_high = 0.35;
static const double cycle_high = 0.5, cycle_low = -0.3;

enum {
    LEAST_PERIOD = 4, // dumps
};

static double mean_of(const double *values, size_t from, size_t to) {
    double sum = 0;
    for (size_t j = from; j < to; j++) {
        sum += values[j] / (double)(to - from);
    }
    return sum;
}

// --- increments ---------------------------------------------------------------------------

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// Puts them in order.
static double median_of(double *values, size_t count) {
    qsort(values, count, sizeof *values, by_size);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

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

// --- shapes -------------------------------------------------------------------------------

static bool is_step(const double *values, size_t count, double sd) {
    size_t at = 1;
    for (size_t j = 2; j < count; j++) {
        at = values[j] - values[j - 1] > values[at] - values[at - 1] ? j : at;
    }
    double largest = values[at] - values[at - 1];
    double apart = mean_of(values, at, count) - mean_of(values, 0, at);
    return largest > 0 && largest >= step_sds * sd &&
           largest >= step_share * mean_of(values, 0, count) &&
           apart >= step_low * largest && apart <= step_high * largest;
}

static bool is_levelled(const double *values, size_t count, double sd) {
    double low = mean_of(values, 0, count / 3);
    double middle = mean_of(values, count / 3, 2 * count / 3);
    double high = mean_of(values, 2 * count / 3, count);
    double first = middle - low, second = high - middle;
    return first > 0 && second >= level_low * sd && second <= level_high * first &&
           high - low > level_sds * sd && high - low > level_share * high;
}

static double mean_product(const double *values, size_t count, size_t distance) {
    double sum = 0;
    for (size_t j = distance; j < count; j++) {
        sum += values[j] * values[j - distance];
    }
    return sum / (double)(count - distance);
}

// The values less the line fitted to them; to be freed.  And by how much that rises.
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

static double swing_of(const double *values, size_t count) {
    double low = values[0], high = values[0];
    for (size_t j = 1; j < count; j++) {
        low = fmin(low, values[j]);
        high = fmax(high, values[j]);
    }
    return high - low;
}

static bool comes_back(const double *off, size_t count) {
    double whole = mean_product(off, count, 0), lowest = 0;
    bool found = false;
    for (size_t k = 1; k <= count / 3 && whole > 0 && !found; k++) {
        double share = mean_product(off, count, k) / whole;
        found = k >= LEAST_PERIOD && lowest <= cycle_low && share >= cycle_high;
        lowest = fmin(lowest, share);
    }
    return found;
}

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
        [HP_TREND_CYCLE] = "cycle",
    };
    return names[shape];
}
