// R is the sample period, p the probability that an object is sampled, C the estimated
// number of objects, B their bytes.
//
// Objects of one size S: n sampled objects represent n S / p bytes, with the variance n
// S^2 (1 - p) / p^2.  The interval attributes the skewness to the part that was not seen
// (stats/measure.c).  The variance of the objects is this over S^2.
//
// C objects of any sizes, where t is the mean size divided by R: the variance is C R^2
// E(t), E(t) = t^2 / (e^t - 1).  For a bound, E stays at its maximum after it has reached
// it.
//
// Raw numbers (sampled counts) of mixed sizes: n samples of b bytes represent b ... n R +
// b bytes, and no sample has a variance of more than R^2.
//
// Rewritten numbers (prof_unbias) of mixed sizes: the bound for the mean size.  Rounding
// of the count, by one half at most, may move the estimate by R/2 t^2 e^-t / (1 -
// e^-t)^2.  The error of the objects is unknown, except that it may be as large as the
// estimate; the same holds for raw numbers.
//
// Estimates of other writers: C objects of S bytes are based on n = C p(S) samples if
// they are of one size, as most are; the bound holds if they are not.  If the number of
// objects is unknown the bound is B R, because E(t) is never above t.  Raw numbers that
// were scaled by their mean size m hide n (R + m) - B at most, which is never more than
// .2985 B: see (1 + t) p / t.
#include "calc/uncertainty.h"

#include "calc/probability.h"

#include <stddef.h>

// The mean size, in sample periods, for which the variance of an estimate is largest: the
// t for which t^2 / (e^t - 1) is largest.
static const double top = 1.5936242600400399;
static const double top_value = 0.6476102378919147; // the value at `top`
static const double least_printed = 0.945; // least printed count for one sampled object
// Most hidden bytes, as a share of an estimate by mean size.
static const double most_hidden = 0.29844;

// Return t^2 / (e^t - 1), which the variance of an estimate is proportional to, as a
// bound: from `top` on it stays at its maximum.
static double envelope(double t) {
    if (t >= top) {
        return top_value;
    }
    double q = hp_one_minus_exp(t); // 1 / (e^t - 1) = (1 - q) / q
    return t * t * (1 - q) / q;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

// Round a non-negative number to the nearest whole one.  Sets *too_big if it does not
// fit.
static hp_int128 whole(double x, bool *too_big) {
    if (!(x < 0x1p120)) {
        *too_big = true;
        return 0;
    }
    return (hp_int128)(x < 0x1p52 ? x + 0.5 : x);
}

// Round as whole() does, to 64 bits; 0 for negative numbers.
static uint64_t whole64(double x, bool *too_big) {
    if (!(x < 0x1p63)) {
        *too_big = true;
        return 0;
    }
    return x > 0 ? (uint64_t)(x + 0.5) : 0;
}

// Convert to the unit of objects_variance and round up, so that a tiny variance does not
// become 0: nearly certain is not certain.
static hp_int128 objects_squared(double x, bool *too_big) {
    double scaled = x * (double)(1 << HP_ERROR_FRACTION);
    hp_int128 nearest = whole(scaled, too_big);
    return nearest + ((double)nearest < scaled);
}

// Convert to fixed point and round to the nearest.
static hp_fixed to_fixed(double value, int fraction, bool *too_big) {
    double scaled = value * (double)((uint64_t)1 << fraction);
    if (!(scaled < 0x1p120)) {
        *too_big = true;
        return 0;
    }
    // Beyond 2^53 every double is whole; below, round to nearest.
    return (hp_fixed)(scaled < 0x1p53 ? scaled + 0.5 : scaled);
}

struct hp_unbiased hp_unbiased_of(double objects, double bytes) {
    struct hp_unbiased e = {0};
    e.objects = to_fixed(objects, HP_OBJECTS_FRACTION, &e.too_big);
    e.bytes = to_fixed(bytes, HP_SPACE_FRACTION, &e.too_big);
    return e;
}

double hp_variance_of_object(double size, double p) {
    return size * size * (1 - p) / (p * p);
}

struct hp_error hp_error_of_sizes(uint64_t n, uint64_t least_size, double variance,
                                  double objects_variance, bool *too_big) {
    return (struct hp_error){
        .variance = whole(variance, too_big),
        .objects_variance = objects_squared(objects_variance, too_big),
        .observed_bytes = least_size,
        .samples = n,
    };
}

// Rounds bounds up to whole bytes, so that they stay bounds.
void hp_error_bound(struct hp_error *error, double excess, double hidden, bool *too_big) {
    error->excess_bytes_max = excess > 0x1p-10 ? whole64(excess + 0.5, too_big) : 0;
    error->hidden_bytes_max = hidden > 0x1p-10 ? whole64(hidden + 0.5, too_big) : 0;
}

struct hp_error hp_error_of_one_size(uint64_t n, uint64_t size, double p, uint64_t period,
                                     bool *too_big) {
    struct hp_error error = {.samples = n};
    uint64_t bytes;
    *too_big |= __builtin_mul_overflow(n, size, &bytes);
    error.observed_bytes = bytes;
    if (period > 1) {
        double s = (double)size, variance = (double)n * hp_variance_of_object(s, p);
        error.variance = whole(variance, too_big);
        error.objects_variance = objects_squared(variance / (s * s), too_big);
        error.period = period;
        error.max_weight = 1 / p;
    }
    return error;
}

struct hp_error hp_error_of_raw(struct hp_count sampled, double objects, double bytes,
                                uint64_t period, bool *too_big) {
    struct hp_error error = {.samples = sampled.objects, .observed_bytes = sampled.bytes};
    if (period > 1) {
        double r = (double)period, n = (double)sampled.objects;
        error.variance = whole(n * r * r, too_big);
        error.objects_variance = objects_squared(objects * objects, too_big);
        error.max_weight = objects;
        error.hidden_bytes_max = whole64(n * r + (double)sampled.bytes - bytes, too_big);
        error.period = period;
        error.flags = HP_ERROR_AT_LEAST;
    }
    return error;
}

struct hp_error hp_error_of_rewritten(struct hp_count printed, double objects,
                                      double bytes, uint64_t period, bool *too_big) {
    struct hp_error error = {.samples = 2};
    if (period <= 1) {
        error.observed_bytes = whole64(bytes, too_big);
        return error;
    }
    double r = (double)period, t = bytes / objects / r, q = hp_one_minus_exp(t);
    // Most bytes of the estimate that are not those of sampled objects.
    double unseen = r * ((double)printed.objects + 0.5) / least_printed;
    double rounding = r / 2 * t * t * (1 - q) / (q * q);
    error.variance = whole(objects * r * r * envelope(t), too_big);
    error.objects_variance = objects_squared(objects * objects, too_big);
    error.observed_bytes = whole64(bytes - unseen - 0.5, too_big);
    hp_error_bound(&error, rounding, rounding, too_big);
    error.period = period;
    error.max_weight = objects;
    error.flags = HP_ERROR_MIXED;
    return error;
}

// Return the most bytes that raw samples may hide if their mean size was taken for all of
// them: with n samples, their mean size m and the period r these are n r + n m less the
// estimate `bytes`.  The estimate is at least n r, and a single sample hides nothing.
static double hidden_by_means(double objects, double bytes, double r) {
    double hidden = bytes * most_hidden;
    if (objects > 0) {
        double p = hp_one_minus_exp(bytes / objects / r);
        double hidden_by_count = objects * p * r - bytes * (1 - p);
        hidden = hidden_by_count < hidden ? hidden_by_count : hidden;
    }
    double room = bytes - 2 * r; // most hidden bytes of any number of samples
    return room < 0 ? 0 : room < hidden ? room : hidden;
}

// Return the error of the estimate that the writer of a profile made for objects of
// several or unknown sizes.
static struct hp_error of_scaled_mix(struct hp_count estimate, bool may_be_of_means,
                                     uint64_t period, bool *too_big) {
    double r = (double)period, bytes = (double)estimate.bytes;
    double objects = (double)estimate.objects;
    struct hp_error error = {.variance = whole(bytes * r, too_big),
                             .samples = 2,
                             .period = period,
                             .flags = HP_ERROR_MIXED | HP_ERROR_UNCOUNTED};
    if (estimate.objects > 0) {
        uint64_t n = whole64(objects * hp_one_minus_exp(bytes / objects / r), too_big);
        error = hp_error_of_rewritten((struct hp_count){n + (n == 0), 0}, objects, bytes,
                                      period, too_big);
    }
    if (may_be_of_means && period > 1) {
        double hidden = hidden_by_means(objects, bytes, r);
        hp_error_bound(&error, (double)error.excess_bytes_max,
                       larger((double)error.hidden_bytes_max, hidden), too_big);
    }
    return error;
}

struct hp_error hp_error_of_scaled(struct hp_count estimate, uint64_t size,
                                   bool may_be_of_means, uint64_t period, bool *too_big) {
    if (estimate.bytes == 0) {
        return (struct hp_error){0};
    }
    if (size == 0 || estimate.objects == 0 || estimate.bytes < estimate.objects) {
        return of_scaled_mix(estimate, may_be_of_means, period, too_big);
    }
    double objects = (double)estimate.objects, mean = (double)estimate.bytes / objects;
    double p = hp_one_minus_exp(mean / (double)period);
    double r = (double)period;
    uint64_t n = whole64(objects * p, too_big);
    n += n == 0;
    struct hp_error error =
        hp_error_of_one_size(n, estimate.bytes / estimate.objects, p, period, too_big);
    error.variance = whole((double)n / p * r * r * envelope(mean / r), too_big);
    if (period > 1 && error.observed_bytes > size) {
        error.observed_bytes = size;
    }
    return error;
}
