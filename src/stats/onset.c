// A hinge at dump s, whose time is t_s, is the function level + slope max(t - t_s, 0).
// With values whitened for one correlation rho (whitening.h) it is fitted to all dumps by
// least squares, so that the dumps before the onset show how values fluctuate.  For j > s
// the whitened hinge is w(t)_j - t_s w(1)_j, so that sums over the last dumps give the
// fits for all s at once.
//
// For each rho there is the restricted likelihood of trend.c; of the rho within 1.64 of
// the best the least significant one is used.  Hinges, waves and warm-ups are compared by
// the plain likelihood, 2 log L = -log |R| - n log RSS, maximized over rho.
#include "stats/onset.h"

#include "base/memory.h"
#include "stats/distributions.h"
#include "stats/whitening.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double choice_factor = 3; // factor on p for the choice among several spans
static const double region = 1.64; // limit of the restricted likelihood, as in trend.c
// Largest difference of 2 log L (L: the likelihood) from the best hinge (a line that
// begins to rise at a dump) at which a dump may be the onset.
static const double near_onset = 12;
// How much the 2 log L (L: the likelihood) of a wave or a warm-up may exceed that of a
// line that begins to rise at a dump.
static const double rival_margin = 2;
static const double run_p = 0.01; // largest p of a run that is reported without a claim
static const double periods[] = {2, 4 / 3., 1}; // of waves, in durations of the series
// Time constants of warm-ups, as shares of the time from their begin to the last dump.
static const double paces[] = {0.1, 0.2, 0.4};
static const double least_part = 1e-6; // smallest part of a rival that is not the level
static const double pi = 3.14159265358979323846;

enum {
    LEAST_SUFFIX = HP_TREND_LEAST, // smallest number of dumps of a suffix
    APART = 2,                     // smallest difference in dumps between two suffixes
    STEPS = 5,                     // number of steps of the shortest run
    PARTS = 4,                     // minimum number of parts of a suffix
    WAVES = sizeof periods / sizeof *periods,
    PACES = sizeof paces / sizeof *paces,
    WARM_UPS = PACES * (HP_ONSET_SUFFIXES + 1),
};

// A vector of a rival (a wave or a warm-up that may explain the series as well as a
// hinge), whitened and made orthogonal to the level and, if it is the second vector of a
// wave, to the first one.  `length` is the square of its length, 0 if almost
// nothing remains; `share` is the multiple of the first vector that was subtracted.
struct product {
    double length, share;
};

// For one autocorrelation: the functions that are level up to a dump and rise from there
// on (hinges), for all dumps.
struct hinges {
    struct hp_whitening whitening;
    double *level; // the whitened level, normalized to length 1
    // For each s: the component of the whitened hinge along the level, and the square of
    // the length of the rest.
    double *along, *rest;
    double height;            // length of the whitened level before it was normalized
    struct product *products; // one for each vector of the rivals
};

// A span of last dumps, and the constants of its tests.
struct span {
    struct hp_onset_span dumps;
    double *weights;  // weights of its dumps in the slope
    double positive;  // sum of the positive weights
    size_t parts;     // number of parts in the test by parts
    double parts_end; // quantile of Student's t for the lower bound of that test
};

// The data for the search that depend on times only; waves, warm-ups and hinges are
// missing if the series is too short.
struct hp_onset_times {
    size_t count;
    double *times;
    double *rivals; // vectors: two for each wave, then one for each warm-up
    size_t warm_ups;
    double alpha; // 1 - confidence, for the whole series
    // Quantiles of the normal distribution and of Student's t at alpha / choice_factor.
    double z_end, t_end;
    struct span spans[HP_ONSET_SPANS];
    struct hinges hinges[HP_CORRELATIONS];
};

// --- times -----------------------------------------------------------------------------

// Compute the weights of the dumps in the slope of a line fitted to a span of them.
static void set_weights(struct span *span, const double *times) {
    size_t count = span->dumps.count;
    double mean = 0, squares = 0;
    times += span->dumps.first;
    span->weights = hp_alloc(count * sizeof *span->weights);
    for (size_t j = 0; j < count; j++) {
        mean += times[j] / (double)count;
    }
    for (size_t j = 0; j < count; j++) {
        squares += (times[j] - mean) * (times[j] - mean);
    }
    for (size_t j = 0; j < count && squares > 0; j++) {
        span->weights[j] = (times[j] - mean) / squares;
        span->positive += fmax(span->weights[j], 0);
    }
}

// Make span i consist of the last `count` dumps.
static void set_span(struct hp_onset_times *made, size_t i, size_t count) {
    struct span *span = &made->spans[i];
    size_t parts = count / PARTS;
    span->dumps = (struct hp_onset_span){made->count - count, count};
    span->parts = parts < PARTS ? PARTS : parts > HP_MOST_PARTS ? HP_MOST_PARTS : parts;
    span->parts_end =
        hp_student_quantile_above(made->alpha / choice_factor, (double)span->parts - 1);
    set_weights(span, made->times);
}

// Choose the suffixes (the last dumps of the series), each shorter by a factor of about
// sqrt 2, and the runs (very few of the last dumps).
static void make_spans(struct hp_onset_times *made) {
    size_t last = made->count, found = 0;
    for (int j = 1; j <= HP_ONSET_SUFFIXES; j++) {
        size_t k = (size_t)lround((double)made->count * pow(2, -j / 2.));
        if (k >= LEAST_SUFFIX && k + APART <= last) {
            set_span(made, found++, k);
            last = k;
        }
    }
    for (size_t i = 0; i < HP_ONSET_RUNS; i++) {
        set_span(made, HP_ONSET_SUFFIXES + i, STEPS + i + 1);
    }
}

// Return value j of a series of ones after the autocorrelation was removed (whitened).
static double whitened_one(const struct hp_whitening *whitening, size_t j) {
    return (1 - whitening->carry[j]) * whitening->scale[j];
}

// Compute, for all dumps, the functions that are level up to the dump and rise from there
// on (hinges), whitened for one autocorrelation `rho`.  The sums over the dumps after a
// dump are made from the last dump backwards.
static void make_hinges(struct hinges *hinges, const double *times, size_t count,
                        double rho) {
    double *room = hinges->level = hp_alloc(3 * count * sizeof *room);
    double tt = 0, t1 = 0, ones = 0, tl = 0, ol = 0;
    hinges->along = room + count;
    hinges->rest = room + 2 * count;
    hp_whitening_init(&hinges->whitening, times, count, rho);
    for (size_t j = 0; j < count; j++) {
        hinges->level[j] = whitened_one(&hinges->whitening, j);
    }
    hinges->height = hp_normalize(hinges->level, count);
    for (size_t s = count; s-- > 0;) {
        double at = times[s], along = tl - at * ol;
        double time = hp_whitened(&hinges->whitening, times, s);
        double one = whitened_one(&hinges->whitening, s);
        hinges->along[s] = along;
        hinges->rest[s] = tt - 2 * at * t1 + at * at * ones - along * along;
        tt += time * time;
        t1 += time * one;
        ones += one * one;
        tl += time * hinges->level[s];
        ol += one * hinges->level[s];
    }
}

// Compute a wave with `period` durations of the series: write its sine at each dump to
// `sine`, and after these its cosine.
static void make_wave(const struct hp_onset_times *times, double period, double *sine) {
    size_t count = times->count;
    double span = times->times[count - 1] - times->times[0];
    double whole = span * (double)count / (double)(count - 1);
    for (size_t j = 0; j < count; j++) {
        double angle = 2 * pi * times->times[j] / (period * whole);
        sine[j] = sin(angle);
        sine[count + j] = cos(angle);
    }
}

// Compute a warm-up that begins at dump `first`: an exponential approach to a limit.
static void make_warm_up(const struct hp_onset_times *times, size_t first, double pace,
                         double *out) {
    double left = times->times[times->count - 1] - times->times[first];
    for (size_t j = 0; j < times->count; j++) {
        double since = times->times[j] - times->times[first];
        out[j] = since > 0 && left > 0 ? -expm1(-since / (pace * left)) : 0;
    }
}

// Compute the vectors of the functions that may explain a series as well as a hinge does:
// two for each wave, then the warm-ups.
static void make_rivals(struct hp_onset_times *made) {
    size_t count = made->count;
    double *next = hp_alloc((2 * WAVES + WARM_UPS) * count * sizeof *next);
    made->rivals = next;
    for (size_t i = 0; i < WAVES; i++, next += 2 * count) {
        make_wave(made, periods[i], next);
    }
    for (size_t i = 0; i <= HP_ONSET_SUFFIXES; i++) {
        bool is_whole = i == HP_ONSET_SUFFIXES;
        size_t first = is_whole ? 0 : made->spans[i].dumps.first;
        for (size_t k = 0; (is_whole || first > 0) && k < PACES; k++, next += count) {
            make_warm_up(made, first, paces[k], next);
            made->warm_ups++;
        }
    }
}

// Compute *product for one vector of a rival.  `before`: the first vector of the wave, if
// this is the second one, whose product is the element before; else NULL.
static void set_product(const struct hinges *hinges, const double *vector,
                        const double *before, size_t count, struct product *product) {
    double all = 0, level = 0, common = 0, level_before = 0;
    for (size_t j = 0; j < count; j++) {
        double value = hp_whitened(&hinges->whitening, vector, j);
        double other = before ? hp_whitened(&hinges->whitening, before, j) : 0;
        all += value * value;
        level += value * hinges->level[j];
        common += value * other;
        level_before += other * hinges->level[j];
    }
    common -= level * level_before;
    bool has_common = before && product[-1].length > 0;
    product->share = has_common ? common / product[-1].length : 0;
    double length = all - level * level - product->share * common;
    product->length = length > least_part * least_part * all ? length : 0;
}

static void make_products(const struct hp_onset_times *made, struct hinges *hinges) {
    size_t vectors = 2 * WAVES + made->warm_ups;
    const double *at = made->rivals;
    hinges->products = hp_alloc(vectors * sizeof *hinges->products);
    for (size_t i = 0; i < vectors; i++, at += made->count) {
        bool is_second = i < (size_t)2 * WAVES && i % 2 == 1;
        set_product(hinges, at, is_second ? at - made->count : NULL, made->count,
                    &hinges->products[i]);
    }
}

struct hp_onset_times *hp_onset_times_new(const double *times, size_t count,
                                          double confidence) {
    struct hp_onset_times *made = hp_alloc(sizeof *made);
    double mean = 0;
    made->count = count;
    made->alpha = 1 - confidence;
    made->times = hp_alloc(count * sizeof *made->times);
    for (size_t j = 0; j < count; j++) {
        mean += (times[j] - times[0]) / (double)count;
    }
    for (size_t j = 0; j < count; j++) {
        made->times[j] = times[j] - times[0] - mean;
    }
    if (count < HP_ONSET_LEAST || !(times[count - 1] > times[0])) {
        return made;
    }
    make_spans(made);
    make_rivals(made);
    made->z_end = hp_normal_quantile_above(made->alpha / choice_factor);
    made->t_end =
        hp_student_quantile_above(made->alpha / choice_factor, (double)count - 2);
    for (size_t i = 0; i < HP_CORRELATIONS; i++) {
        make_hinges(&made->hinges[i], made->times, count, hp_correlations[i]);
        make_products(made, &made->hinges[i]);
    }
    return made;
}

void hp_onset_times_free(struct hp_onset_times *times) {
    for (size_t i = 0; times && i < HP_CORRELATIONS; i++) {
        hp_whitening_done(&times->hinges[i].whitening);
        free(times->hinges[i].level);
        free(times->hinges[i].products);
    }
    for (size_t i = 0; times && i < HP_ONSET_SPANS; i++) {
        free(times->spans[i].weights);
    }
    if (times) {
        free(times->times);
        free(times->rivals);
    }
    free(times);
}

struct hp_onset_span hp_onset_span(const struct hp_onset_times *times, size_t i) {
    return times->spans[i].dumps;
}

double hp_onset_weight(const struct hp_onset_times *times, size_t i, size_t j) {
    const struct span *span = &times->spans[i];
    return span->dumps.count > 0 && j >= span->dumps.first
               ? span->weights[j - span->dumps.first]
               : 0;
}

double hp_onset_alpha(const struct hp_onset_times *times) {
    return times->alpha / choice_factor;
}

// --- spans -----------------------------------------------------------------------------

struct hp_rise hp_onset_of_sampling(const struct hp_onset_times *times, size_t i,
                                    const double *values, double variance) {
    const struct span *span = &times->spans[i];
    double slope = 0, sd = sqrt(variance * span->positive);
    values += span->dumps.first;
    for (size_t j = 1; j < span->dumps.count; j++) { // equal values give exactly 0
        slope += span->weights[j] * (values[j] - values[0]);
    }
    return sd > 0
               ? (struct hp_rise){hp_normal_above(slope / sd), slope - times->z_end * sd}
               : (struct hp_rise){slope > 0 ? 0 : 1, slope};
}

// Whether the mean of the last values is above all values up to the first one of the span
// of `span` dumps.  It is not in a cycle that is seen only once.
static bool ends_above_all(const double *values, size_t count, size_t span) {
    size_t last = span / PARTS < 2 ? 2 : span / PARTS;
    double mean = 0, largest = values[0];
    for (size_t j = count - last; j < count; j++) {
        mean += values[j] / (double)last;
    }
    for (size_t j = 0; j + span <= count; j++) {
        largest = fmax(largest, values[j]);
    }
    return mean > largest;
}

// --- hinges ----------------------------------------------------------------------------

// For one autocorrelation: the values without it (whitened) and without their level, and
// the fits of all hinges to them.
struct fits {
    double squares; // square of the length of these values
    double *along;  // for each s the scalar product of the values with the hinge at s
};

// Fit the hinges of all dumps (functions that are level up to a dump and rise from there
// on) to the values, for one autocorrelation.  The result uses `along` as its memory.
static struct fits fit_hinges(const struct hp_onset_times *times, const double *values,
                              size_t rho, double *along) {
    const struct hinges *hinges = &times->hinges[rho];
    const struct hp_whitening *whitening = &hinges->whitening;
    size_t count = times->count;
    double level = 0, squares = 0, with_time = 0, with_one = 0;
    for (size_t j = 0; j < count; j++) {
        double before = j > 0 ? values[j - 1] : 0;
        along[j] = (values[j] - whitening->carry[j] * before) * whitening->scale[j];
        level += along[j] * hinges->level[j];
        squares += along[j] * along[j];
    }
    for (size_t s = count; s-- > 0;) {
        double white = along[s];
        along[s] = with_time - times->times[s] * with_one - level * hinges->along[s];
        with_time += white * hp_whitened(whitening, times->times, s);
        with_one += white * whitened_one(whitening, s);
    }
    return (struct fits){fmax(squares - level * level, squares * DBL_EPSILON), along};
}

// Return the sum of squares of the values that the hinge (a line that begins to rise) at
// dump s leaves unexplained, at least as large as rounding errors.
static double rest_of(const struct hinges *hinges, const struct fits *fits, size_t s) {
    double taken =
        hinges->rest[s] > 0 ? fits->along[s] * fits->along[s] / hinges->rest[s] : 0;
    return fmax(fits->squares - taken, fits->squares * DBL_EPSILON);
}

// Test the slope of the hinge at dump s.  The result is the least significant one of all
// correlations whose likelihood is within `region` of the best.
static struct hp_rise rise_of_hinge(const struct hp_onset_times *times,
                                    const struct fits *fits, size_t s) {
    double likelihood[HP_CORRELATIONS], best = -INFINITY;
    double freedom = (double)times->count - 2;
    struct hp_rise rise = {INFINITY, INFINITY}; // `p` first holds the smallest t
    for (size_t i = 0; i < HP_CORRELATIONS; i++) {
        const struct hinges *hinges = &times->hinges[i];
        likelihood[i] = -hinges->whitening.log_r - 2 * log(hinges->height) -
                        log(hinges->rest[s]) -
                        freedom * log(rest_of(hinges, &fits[i], s));
        best = fmax(best, likelihood[i]);
    }
    for (size_t i = 0; i < HP_CORRELATIONS; i++) {
        const struct hinges *hinges = &times->hinges[i];
        if (best - likelihood[i] <= region) {
            double slope = fits[i].along[s] / hinges->rest[s];
            double error = sqrt(rest_of(hinges, &fits[i], s) / freedom / hinges->rest[s]);
            rise.p = fmin(rise.p, slope / error);
            rise.least = fmin(rise.least, slope - times->t_end * error);
        }
    }
    return (struct hp_rise){hp_student_above(rise.p, freedom), rise.least};
}

// Return 2 log L (L: the likelihood) of the hinge at dump s, and set `*rho` to the index
// of the best correlation.
static double likelihood_of(const struct hp_onset_times *times, const struct fits *fits,
                            size_t s, size_t *rho) {
    double best = -INFINITY;
    for (size_t i = 0; i < HP_CORRELATIONS; i++) {
        const struct hinges *hinges = &times->hinges[i];
        double likelihood = -hinges->whitening.log_r -
                            (double)times->count * log(rest_of(hinges, &fits[i], s));
        if (likelihood > best) {
            best = likelihood;
            *rho = i;
        }
    }
    return best;
}

// --- rivals ----------------------------------------------------------------------------

// Multiply `white` by the transpose of the whitening, so that its scalar product with
// plain values is that of the old `white` with whitened values.
static void carry_back(const struct hp_whitening *whitening, double *white,
                       size_t count) {
    for (size_t j = 0; j < count; j++) {
        double next = j + 1 < count ? whitening->carry[j + 1] * whitening->scale[j + 1] *
                                          white[j + 1]
                                    : 0;
        white[j] = whitening->scale[j] * white[j] - next;
    }
}

// Return the sum of squares that a vector explains; `along`: its scalar product with the
// values.
static double square_along(const struct product *product, double along) {
    return product->length > 0 ? along * along / product->length : 0;
}

// Return the largest 2 log L (L: the likelihood) of all waves and warm-ups for one
// correlation; `back` is scratch memory.
static double best_of_rho(const struct hp_onset_times *times, const struct hinges *hinges,
                          const double *values, double *back) {
    size_t count = times->count;
    const double *at = times->rivals;
    const struct product *product = hinges->products;
    double taken = 0, all = 0;
    for (size_t j = 0; j < count; j++) {
        back[j] = hp_whitened(&hinges->whitening, values, j);
        all += back[j] * back[j];
    }
    hp_make_orthogonal(back, hinges->level, count);
    double squares = hp_dot(back, back, count);
    carry_back(&hinges->whitening, back, count);
    for (size_t i = 0; i < WAVES; i++, at += 2 * count, product += 2) {
        double sine = hp_dot(at, back, count);
        double cosine = hp_dot(at + count, back, count) - product[1].share * sine;
        taken = fmax(taken,
                     square_along(&product[0], sine) + square_along(&product[1], cosine));
    }
    for (size_t i = 0; i < times->warm_ups; i++, at += count, product++) {
        double along = fmax(hp_dot(at, back, count), 0); // a warm-up must rise
        taken = fmax(taken, square_along(product, along));
    }
    double rest = fmax(squares - taken, all * DBL_EPSILON);
    return -hinges->whitening.log_r - (double)count * log(rest);
}

// Whether a wave or a warm-up has a 2 log L (L: the likelihood) above `likelihood` for
// any correlation.  Large correlations, which fit most series, are tried first.
static bool has_better(const struct hp_onset_times *times, const double *values,
                       double likelihood) {
    double best = -INFINITY, *white = hp_alloc(times->count * sizeof *white);
    for (size_t i = HP_CORRELATIONS; i-- > 0 && best <= likelihood;) {
        best = best_of_rho(times, &times->hinges[i], values, white);
    }
    free(white);
    return best > likelihood;
}

// --- the onset -------------------------------------------------------------------------

// The data of one search for the dump from which on a series of values grows.
struct onset_row {
    const struct hp_onset_times *times;
    hp_onset_sampling_fn *sampling;
    const void *data;
    const double *given; // the values
    double *values;      // the values minus the first one
    struct fits fits[HP_CORRELATIONS];
};

static void fit_row(struct onset_row *row, const double *values) {
    const struct hp_onset_times *times = row->times;
    size_t count = times->count;
    row->values = hp_alloc((1 + HP_CORRELATIONS) * count * sizeof *row->values);
    for (size_t j = 0; j < count; j++) {
        row->values[j] = values[j] - values[0];
    }
    for (size_t i = 0; i < HP_CORRELATIONS; i++) {
        row->fits[i] = fit_hinges(times, row->values, i, row->values + (1 + i) * count);
    }
}

// A span from which no claim follows.
static const struct hp_rise no_rise = {1, -INFINITY};

// Whether a rise in a span suffices for a claim.  If one of several tests says no, the
// result of the others makes no difference: the bound of that test is 0 or below.
static bool may_claim(const struct onset_row *row, struct hp_rise rise) {
    return choice_factor * rise.p < row->times->alpha;
}

// Test the last dumps of the series (suffix number i) for growth by parts.  The result is
// no_rise if no claim can follow from this span.
static struct hp_rise parts_of_span(const struct onset_row *row, size_t i) {
    const struct hp_onset_times *times = row->times;
    const struct span *span = &times->spans[i];
    size_t first = span->dumps.first, count = span->dumps.count;
    const double *at = times->times + first;
    if (count == 0 || !(at[count - 1] > at[0]) ||
        !ends_above_all(row->given, times->count, count)) {
        return no_rise;
    }
    struct hp_rise parts =
        hp_rise_of_parts(at, row->given + first, count, span->parts, span->parts_end);
    return may_claim(row, parts) ? parts : no_rise;
}

// Combine the results of two tests: return the larger p-value and the smaller bound.
static struct hp_rise less_sure(struct hp_rise a, struct hp_rise b) {
    return (struct hp_rise){fmax(a.p, b.p), fmin(a.least, b.least)};
}

// Test the last dumps of the series (suffix number i) for growth: by parts, by the hinge
// and by sampling.  Tests that cost more come later, and often need not be made.
static struct hp_rise rise_of_span(const struct onset_row *row, size_t i) {
    size_t first = row->times->spans[i].dumps.first;
    struct hp_rise rise = parts_of_span(row, i);
    if (may_claim(row, rise)) {
        rise = less_sure(rise, rise_of_hinge(row->times, row->fits, first));
    }
    return may_claim(row, rise) ? less_sure(rise, row->sampling(row->data, i)) : no_rise;
}

// Find the best hinge (a function that is level up to a dump and rises from there on),
// and set dump, from, to and slope of *onset; `from` and `to` are the first and the last
// of the hinges that are almost as good.  Returns false if a wave or a warm-up is better.
static bool find_best(const struct onset_row *row, struct hp_onset *onset) {
    size_t end = row->times->count - (LEAST_SUFFIX - 1), rho = 0, best_rho = 0;
    double best = -INFINITY, *all = hp_alloc(end * sizeof *all);
    for (size_t s = 0; s < end; s++) {
        all[s] = likelihood_of(row->times, row->fits, s, &rho);
        if (all[s] > best) {
            best = all[s];
            best_rho = rho;
            onset->dump = s;
        }
    }
    onset->from = onset->to = onset->dump;
    for (size_t s = 0; s < end; s++) {
        if (best - all[s] <= near_onset) {
            onset->from = s < onset->from ? s : onset->from;
            onset->to = s > onset->to ? s : onset->to;
        }
    }
    free(all);
    const struct hinges *hinges = &row->times->hinges[best_rho];
    onset->slope = row->fits[best_rho].along[onset->dump] / hinges->rest[onset->dump];
    return !has_better(row->times, row->values, best + rival_margin);
}

static double time_since(const struct hp_onset_times *times, size_t dump) {
    return times->times[times->count - 1] - times->times[dump];
}

// Return the number of steps in the longest of the runs, which end at the last dump and
// are too short for a claim: each step rose, the last value is above all values before,
// and the growth is significant.  0: there is no such run.
static unsigned steps_of(const struct onset_row *row, const double *values) {
    size_t count = row->times->count;
    unsigned found = 0;
    for (size_t i = HP_ONSET_SUFFIXES; i < HP_ONSET_SPANS; i++) {
        const struct hp_onset_span *span = &row->times->spans[i].dumps;
        bool rises = true;
        for (size_t j = 0; j < count; j++) {
            rises &= j <= span->first ? values[j] < values[count - 1]
                                      : values[j] > values[j - 1];
        }
        bool is_sure = rises && choice_factor * row->sampling(row->data, i).p <= run_p;
        found = is_sure ? (unsigned)span->count - 1 : found;
    }
    return found;
}

// Test the last dumps of the series, for several numbers of dumps.  If the growth is
// significant, and no wave or warm-up is better, set the members of *onset; `whole` is
// the rise of the whole series.
static void find_since(struct onset_row *row, struct hp_rise whole,
                       struct hp_onset *onset) {
    const struct hp_onset_times *times = row->times;
    struct hp_rise best = {1, -INFINITY};
    size_t bound = 0; // the first dump of the span with the best bound
    for (size_t i = 0; i < HP_ONSET_SUFFIXES; i++) {
        if (times->spans[i].dumps.count > 0) {
            struct hp_rise rise = rise_of_span(row, i);
            bound = rise.least > best.least ? times->spans[i].dumps.first : bound;
            best.p = fmin(best.p, rise.p);
            best.least = fmax(best.least, rise.least);
        }
    }
    if (fmin(whole.p, choice_factor * best.p) >= times->alpha || !find_best(row, onset)) {
        return;
    }
    onset->is_since = onset->slope > 0 && (onset->from > 0 || whole.p >= times->alpha);
    onset->rise.p = fmin(whole.p, choice_factor * best.p);
    onset->rise.least = fmax(whole.least, best.least);
    bound = whole.least >= best.least ? 0 : bound;
    onset->growth = onset->slope * time_since(times, onset->dump);
    onset->least = onset->rise.least * time_since(times, bound);
}

struct hp_onset hp_onset_find(const struct hp_onset_times *times, const double *values,
                              hp_onset_sampling_fn *sampling, const void *data,
                              struct hp_rise whole) {
    struct hp_onset onset = {.rise = whole};
    struct onset_row row = {
        .times = times, .sampling = sampling, .data = data, .given = values};
    if (!times->hinges[0].level) {
        return onset;
    }
    bool may_be = whole.p < times->alpha;
    for (size_t i = 0; i < HP_ONSET_SUFFIXES && !may_be; i++) {
        may_be = may_claim(&row, parts_of_span(&row, i));
    }
    if (may_be) {
        fit_row(&row, values);
        find_since(&row, whole, &onset);
        free(row.values);
    }
    if (!onset.is_since && !(onset.rise.p < times->alpha)) {
        onset.steps = steps_of(&row, values);
    }
    return onset;
}
