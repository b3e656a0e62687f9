// If n samples were allocated between the first dump and the last, the number of these
// that are still live is at most min(n, samples live at the last dump), and at least the
// samples live at the last dump minus those live at the first.  The ends of the interval
// are those of Clopper and Pearson (1934) for these two numbers,
//
//     high = B^-1(confidence; most + 1, n - most)
//     low  = B^-1(1 - confidence; least, n - least + 1)
//
// where B is the beta distribution.  Samples of several stacks have different weights,
// because objects have different sizes: then n = (sum A)^2 / (sum A^2 / n) with the bytes
// A of each stack (Korn and Graubard, 1998).  Where sizes are unknown, both ends are
// moved outwards as far as the sizes permit.
//
// The error of the turnover L P / A, with the mean live bytes L and the allocated bytes A
// of the stacks, and the allocated bytes P of the process, is that of a ratio of two
// gamma variables with the shapes l = (L / sd)^2 and a = samples of A and P:
//
//     odds(B^-1(alpha / 2; l, a + 1)) a / l ... odds(B^-1(1 - alpha / 2; l + 1, a)) a / l
//
// times the ratio.  Dumps share samples, so that the standard deviation of a mean is at
// most the mean of their standard deviations.  The interval by the differences between
// dumps uses Student's t with m (1 - r) / (1 + r) values, where r is the correlation of
// consecutive values, corrected for its bias in short series.
#include "stats/lifetime.h"

#include "stats/distributions.h"

#include <math.h>
#include <stddef.h>

static const double temporary_most = 0.01, kept_least = 0.5;
static const double most_uneven = 1.2;  // largest ratio of two gaps of a series
static const double least_active = 0.8; // smallest share of gaps with allocations
// Largest surviving share of the allocated bytes.
static const double most_surviving = 0.2;
// Difference of mean live bytes between the halves of a series, as a share of their mean,
// from which on they drift.
static const double most_drift = 0.25;
static const double most_correlated = 0.99; // limit of the correlation r
static const double many = 1e12; // number of samples that is treated as infinite

enum {
    LEAST_DUMPS = 8,    // fewer dumps have no turnover
    LEAST_SAMPLES = 10, // fewer samples of allocated memory have none
};

double hp_quantity_samples(const struct hp_quantity *quantity, uint64_t period) {
    double bytes = quantity->bytes, objects = quantity->objects;
    if (period <= 1) {
        return INFINITY;
    }
    if (!(bytes > 0)) {
        return 0;
    }
    // No size has more samples than this.  Counts of raw mixes can fall from one dump to
    // the next, so `objects` may be 0 or less.
    double counted = bytes / (double)period;
    if (objects > 0) {
        counted = -objects * expm1(-bytes / (objects * (double)period));
    }
    return quantity->variance > 0 ? fmin(counted, bytes * bytes / quantity->variance)
                                  : counted;
}

// --- survivors -------------------------------------------------------------------------

void hp_survivors_add(struct hp_survivors *sums, const struct hp_quantity *allocated,
                      uint64_t period, double first, double last) {
    double bytes = allocated->bytes, samples = hp_quantity_samples(allocated, period);
    if (!(bytes > 0 && samples > 0)) {
        return;
    }
    sums->allocated += bytes;
    sums->squares += bytes * (bytes / samples);
    sums->fewest += fmax(0, bytes - allocated->slack.excess);
    sums->most_allocated += bytes + allocated->slack.hidden;
    sums->most += fmin(last + allocated->live_slack.hidden, bytes);
    sums->least += fmin(fmax(0, last - first - allocated->live_slack.excess), bytes);
}

double hp_survivors_samples(const struct hp_survivors *sums) {
    return sums->squares > 0     ? sums->allocated * sums->allocated / sums->squares
           : sums->allocated > 0 ? (double)INFINITY
                                 : 0;
}

struct hp_interval hp_survivors_share(const struct hp_survivors *sums,
                                      double confidence) {
    if (!(sums->allocated > 0)) {
        return (struct hp_interval){NAN, NAN};
    }
    double n = hp_survivors_samples(sums);
    double most = fmin(1, sums->most / sums->fewest);
    double least = sums->least / sums->most_allocated;
    if (isinf(n)) {
        return (struct hp_interval){least, most};
    }
    return (struct hp_interval){
        least > 0 ? hp_beta_quantile(1 - confidence, least * n, n - least * n + 1) : 0,
        most < 1 ? hp_beta_quantile(confidence, most * n + 1, n - most * n) : 1,
    };
}

const char *hp_survivors_verdict(struct hp_interval share) {
    return share.high <= temporary_most ? "temporary"
           : share.low > kept_least     ? "kept"
                                        : "";
}

// --- turnover --------------------------------------------------------------------------

const char *hp_turnover_lack_name(enum hp_turnover_lack lack) {
    static const char *const names[] = {
        [HP_TURNOVER_KNOWN] = "",
        [HP_TURNOVER_FEW_DUMPS] = "few-dumps",
        [HP_TURNOVER_UNEVEN] = "uneven",
        [HP_TURNOVER_PAUSES] = "pauses",
        [HP_TURNOVER_WINDOW] = "window",
        [HP_TURNOVER_DRIFT] = "drift",
        [HP_TURNOVER_FEW_SAMPLES] = "few-samples",
    };
    return names[lack];
}

static double sum_of(const double *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
    }
    return sum;
}

// Whether the process allocated about as much between any two consecutive dumps.
static bool is_even(const double *gaps, size_t count) {
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, gaps[i]);
        most = fmax(most, gaps[i]);
    }
    return least > 0 && most <= most_uneven * least;
}

// Whether nothing was allocated in too many gaps between dumps, or in the first or last
// gap.
static bool has_pauses(const double *gaps, size_t count) {
    size_t active = 0;
    for (size_t i = 0; i < count; i++) {
        active += gaps[i] > 0;
    }
    return (double)active < least_active * (double)count || !(gaps[0] > 0) ||
           !(gaps[count - 1] > 0);
}

// Whether live memory differs too much between the two halves of the series.
static bool drifts(const double *live, size_t count, double mean) {
    size_t half = count / 2;
    double before = sum_of(live, half) / (double)half;
    double after = sum_of(live + count - half, half) / (double)half;
    return fabs(after - before) >= most_drift * mean;
}

// Return why there is no turnover, if there is none.
static enum hp_turnover_lack lack_of(const struct hp_course *course, double mean,
                                     double allocated) {
    size_t gaps = course->dumps - 1;
    if (course->dumps < LEAST_DUMPS) {
        return HP_TURNOVER_FEW_DUMPS;
    }
    return !is_even(course->process, gaps)                   ? HP_TURNOVER_UNEVEN
           : has_pauses(course->gaps, gaps)                  ? HP_TURNOVER_PAUSES
           : course->live[gaps] > most_surviving * allocated ? HP_TURNOVER_WINDOW
           : course->samples < LEAST_SAMPLES || !(mean > 0)  ? HP_TURNOVER_FEW_SAMPLES
           : drifts(course->live, course->dumps, mean)       ? HP_TURNOVER_DRIFT
                                                             : HP_TURNOVER_KNOWN;
}

static double odds(double p) {
    return p / (1 - p);
}

// Return the interval of the turnover by sampling error, as factors of its value.
static struct hp_interval of_sampling(const struct hp_course *course, double mean,
                                      double alpha) {
    double relative = course->live_error / mean;
    double live = fmin(1 / (relative * relative), many);
    double allocated =
        1 / fmax(1 / course->samples + 1 / course->process_samples, 1 / many);
    return (struct hp_interval){
        odds(hp_beta_quantile(alpha / 2, live, allocated + 1)) * allocated / live,
        odds(hp_beta_quantile(1 - alpha / 2, live + 1, allocated)) * allocated / live,
    };
}

// Return the interval of the turnover by the differences of live bytes between dumps, as
// factors of its value.
static struct hp_interval of_dumps(const struct hp_course *course, double mean,
                                   double alpha) {
    double m = (double)course->dumps, squares = 0, products = 0;
    for (size_t i = 0; i < course->dumps; i++) {
        double off = course->live[i] - mean;
        squares += off * off;
        products += i > 0 ? off * (course->live[i - 1] - mean) : 0;
    }
    double r = squares > 0 ? (products / squares + 2 / m) / (1 - 4 / m) : 0;
    r = fmin(fmax(r, 0), most_correlated);
    double independent = m * (1 - r) / (1 + r);
    double error = sqrt(squares / (m - 1) / independent) / mean;
    double t = hp_student_quantile_above(alpha / 2, fmax(independent - 1, 1));
    return (struct hp_interval){fmax(0, 1 - t * error), 1 + t * error};
}

struct hp_turnover hp_turnover_of(const struct hp_course *course, double confidence) {
    double mean = sum_of(course->live, course->dumps) / (double)course->dumps;
    double allocated = sum_of(course->gaps, course->dumps - 1);
    struct hp_turnover turnover = {lack_of(course, mean, allocated), NAN, {NAN, NAN}};
    if (turnover.lack != HP_TURNOVER_KNOWN) {
        return turnover;
    }
    struct hp_interval sampling = of_sampling(course, mean, 1 - confidence);
    struct hp_interval dumps = of_dumps(course, mean, 1 - confidence);
    turnover.value = mean * sum_of(course->process, course->dumps - 1) / allocated;
    turnover.range.low = turnover.value * fmin(sampling.low, dumps.low);
    turnover.range.high = turnover.value * fmax(sampling.high, dumps.high);
    return turnover;
}
