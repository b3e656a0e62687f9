// Intervals.  With B estimated bytes, variance bound V, max_weight k, and the error alpha
// = 1 - confidence:
//
//     low  = V/B times the alpha/2 quantile of Gamma(B^2/V), or O if that is larger
//     high = O + V'/M' times the 1 - alpha/2 quantile of Gamma(M'^2/V')
//     M' = B - O + k, V' = V + k^2
//
// where O are the observed bytes, and where `high` uses the highest B.  O is treated
// separately because it is certain, and because the distribution of the unsampled part is
// the more skewed the smaller that part is.  k is that of the largest sample period: with
// the smallest k, 2,000 objects at 64 KiB together with 3 samples at 4 MiB would be
// covered with a probability of .79 only.
//
// Growth from (B1, V1) to (B2, V2) melds the distributions of these ends (Fay, Proschan
// and Brittain, "Combining one-sample confidence procedures for inference in the
// two-sample case", 2015): with
//
//     D = s2 Gamma(a2) - O1 - s1 Gamma(a1), a2 = B2^2/V2, s2 = V2/B2, a1, s1 of M1', V1'
//
// the p-value is P(D <= 0), and the lower end is the alpha/2 quantile of D, so that it is
// above 0 exactly if p is below alpha/2.  The upper end is that of the growth from 2 to
// 1, with the opposite sign.  P(D <= 0) is the exact conditional binomial test if all
// samples have the same weight and almost nothing is certain.  O2 is not used for the
// lower end of the second number: with it, 8 objects of 5 sample periods that have not
// changed would have a two-sided p of .05 or less with a probability of .057.  A number
// that is not above the first one has p >= 1/2.
//
// Variances.  With the sample period R, the variance of C objects of size S = t R is C
// R^2 t^2 / (e^t - 1).  The bound for C objects of any sizes with the mean S is the same
// up to the t at which this expression is largest, and its maximum for larger t.
//
// Adjusted p-values.  Of m p-values in ascending order, p(1) <= ... <= p(m), the adjusted
// ones are
//
//     q(i) = least of p(j) m / j, j >= i
#include "stats/measure.h"

#include "base/memory.h"
#include "stats/distributions.h"
#include "stats/gamma_difference.h"

#include <math.h>
#include <stdlib.h>

static const double top = 1.5936242600400399; // the t at which t^2 / (e^t - 1) is largest
// Shape of a gamma distribution from which on it is treated as normal.
static const double normal_from = 1e6;
// Smallest shape of the gamma distribution of a number's uncertain part at which that
// part is treated as random.
static const double least_shape = 1e-4;

struct hp_measure hp_measure_of(hp_fixed value, const struct hp_error *error,
                                enum hp_metric metric) {
    double estimate = hp_fixed_double(value, metric);
    if (hp_fraction(metric) == HP_SPACE_FRACTION) {
        return (struct hp_measure){
            .estimate = estimate,
            .highest = estimate + (double)error->hidden_bytes_max,
            .variance = (double)error->variance,
            .observed = (double)error->observed_bytes,
            .max_weight = (double)error->period,
            .excess = (double)error->excess_bytes_max,
        };
    }
    return (struct hp_measure){
        .estimate = estimate,
        .highest = estimate,
        .variance = (double)error->objects_variance / (1 << HP_ERROR_FRACTION),
        .observed = (double)error->samples,
        .max_weight = error->max_weight,
    };
}

bool hp_measure_is_known(const struct hp_error *error, enum hp_metric metric) {
    bool has_samples = error->samples > 0 || error->period == 0;
    return hp_fraction(metric) == HP_SPACE_FRACTION || (error->flags == 0 && has_samples);
}

bool hp_measure_has_least(const struct hp_error *error, enum hp_metric metric) {
    return hp_measure_is_known(error, metric) ||
           (error->samples > 0 && (error->flags & HP_ERROR_UNCOUNTED) == 0);
}

double hp_effective_samples(struct hp_measure measure) {
    return measure.variance > 0 ? measure.estimate * measure.estimate / measure.variance
                                : INFINITY;
}

// Return the variance of an estimate of `bytes` bytes in objects of equal size.
// `largest` limits the size, in sample periods, for which the formula of the variance is
// used.
static double variance_at(double bytes, double objects, uint64_t period, double largest) {
    if (!(period > 1 && bytes > 0 && objects > 0)) {
        return 0;
    }
    double t = fmin(bytes / objects / (double)period, largest);
    return objects * (double)period * (double)period * t * t / expm1(t);
}

double hp_variance_of(double bytes, double objects, uint64_t period) {
    return variance_at(bytes, objects, period, INFINITY);
}

double hp_variance_bound(double bytes, double objects, uint64_t period) {
    return variance_at(bytes, objects, period, top);
}

// --- intervals -------------------------------------------------------------------------

// Return the gamma distribution that has this mean and this variance.
static struct hp_gamma gamma_of(double mean, double variance) {
    return (struct hp_gamma){mean * mean / variance, variance / mean};
}

// Return the gamma distribution for the upper end of an interval: `mean` and the variance
// of `m`, each with one more sample of the largest weight.
static struct hp_gamma with_one_more(double mean, struct hp_measure m) {
    return gamma_of(mean + m.max_weight, m.variance + m.max_weight * m.max_weight);
}

// Return the lower end of an interval with the error probability alpha.
static double low_end(struct hp_measure m, double alpha) {
    double lowest = fmax(m.estimate - m.excess, 0);
    if (lowest <= 0 || m.variance <= 0) {
        return fmax(lowest, m.observed);
    }
    struct hp_gamma g = gamma_of(lowest, m.variance);
    return fmax(g.scale * hp_gamma_quantile_below(g.shape, alpha / 2), m.observed);
}

// Return the highest estimate over all sizes that the objects may have.
static double highest_of(struct hp_measure m) {
    return fmax(m.highest, m.estimate);
}

// Return the certain part of an estimate: the bytes that were observed, but at most the
// estimate.
static double certain_of(struct hp_measure m) {
    return fmax(fmin(m.observed, highest_of(m)), 0);
}

// Return the upper end of an interval with the error probability alpha.
static double high_end(struct hp_measure m, double alpha) {
    double highest = highest_of(m), certain = certain_of(m);
    if (m.variance <= 0 && m.max_weight <= 0) {
        return highest;
    }
    struct hp_gamma g = with_one_more(highest - certain, m);
    return fmax(certain + g.scale * hp_gamma_quantile_above(g.shape, alpha / 2), highest);
}

struct hp_interval hp_interval_of_chosen(struct hp_measure measure, double confidence,
                                         double rows) {
    double alpha = 1 - confidence, high = high_end(measure, alpha);
    return (struct hp_interval){fmin(low_end(measure, alpha / rows), high), high};
}

struct hp_interval hp_interval_of(struct hp_measure measure, double confidence) {
    return hp_interval_of_chosen(measure, confidence, 1);
}

// --- growth ----------------------------------------------------------------------------

// One of the two numbers whose difference is a growth.  It is the sum of a certain part
// and a gamma variable.
struct growth_part {
    // The certain part, the mean of the sum, and the variance of the random part.
    double certain, mean, variance;
    struct hp_gamma gamma; // distribution of the random part
    bool is_certain;       // the random part is negligible
};

static struct growth_part part_of(double certain, double mean, double variance) {
    struct hp_gamma gamma = gamma_of(mean, variance);
    bool is_random =
        mean > 0 && variance > 0 && gamma.shape >= least_shape && isfinite(gamma.shape);
    return (struct growth_part){certain, certain + mean, is_random ? variance : 0, gamma,
                                !is_random};
}

// Return the distribution of the number that a growth starts from.  Mixed sizes may hide
// a part of it, and hidden bytes must not look like growth, so that the highest estimate
// is used.
static struct growth_part start_of(struct hp_measure m) {
    double k = m.max_weight, certain = certain_of(m);
    return part_of(certain, highest_of(m) - certain + k, m.variance + k * k);
}

// Return the distribution of the number that a growth leads to.  Its mean is the lowest
// estimate over all sizes that the objects may have.
static struct growth_part end_of(struct hp_measure m) {
    return part_of(0, fmax(m.estimate - m.excess, 0), m.variance);
}

// Whether a part is certain, or the normal distribution is exact enough for it.
static bool is_normal(struct growth_part part) {
    return part.is_certain || part.gamma.shape > normal_from;
}

// Return the probability that `end` is not above `start`.
static double growth_p(struct growth_part start, struct growth_part end) {
    if (start.is_certain && end.is_certain) {
        return end.mean > start.mean ? 0 : 1;
    }
    if (is_normal(start) && is_normal(end)) {
        double sd = sqrt(start.variance + end.variance);
        return hp_normal_above((end.mean - start.mean) / sd);
    }
    if (end.is_certain) {
        double rest = fmax(end.mean - start.certain, 0);
        return hp_gamma_above(start.gamma.shape, rest / start.gamma.scale);
    }
    if (start.is_certain) {
        return hp_gamma_below(end.gamma.shape, start.mean / end.gamma.scale);
    }
    return hp_gamma_difference_below(end.gamma, start.gamma, start.certain);
}

double hp_growth_p(struct hp_measure before, struct hp_measure after) {
    double p = growth_p(start_of(before), end_of(after));
    return after.estimate > before.estimate ? p : fmax(p, 0.5);
}

// Return the number that the difference `end` - `start` is below with probability p.
static double least_growth(struct growth_part start, struct growth_part end, double p) {
    if (start.is_certain && end.is_certain) {
        return end.mean - start.mean;
    }
    if (is_normal(start) && is_normal(end)) {
        double sd = sqrt(start.variance + end.variance);
        return end.mean - start.mean - sd * hp_normal_quantile_above(p);
    }
    if (end.is_certain) {
        double above = hp_gamma_quantile_above(start.gamma.shape, p);
        return end.mean - start.certain - start.gamma.scale * above;
    }
    if (start.is_certain) {
        return end.gamma.scale * hp_gamma_quantile_below(end.gamma.shape, p) - start.mean;
    }
    return hp_gamma_difference_quantile(end.gamma, start.gamma, p, start.certain) -
           start.certain;
}

double hp_least_growth(struct hp_measure before, struct hp_measure after, double p) {
    return fmin(least_growth(start_of(before), end_of(after), p),
                after.estimate - before.estimate);
}

double hp_two_sided(double growth_p, double shrinkage_p) {
    return fmin(2 * fmin(growth_p, shrinkage_p), 1);
}

struct hp_interval hp_difference_interval(struct hp_measure before,
                                          struct hp_measure after, double confidence) {
    double tail = (1 - confidence) / 2;
    return (struct hp_interval){
        hp_least_growth(before, after, tail),
        -hp_least_growth(after, before, tail),
    };
}

struct hp_measure hp_measure_mean(struct hp_measure sum, double n) {
    return (struct hp_measure){
        .estimate = sum.estimate / n,
        .highest = sum.highest / n,
        .variance = sum.variance / n / n,
        .observed = sum.observed / n,
        .max_weight = sum.max_weight / n,
        .excess = sum.excess / n,
    };
}

// --- many p-values ---------------------------------------------------------------------

// Order by p-value.  Equal p-values get the same adjusted value, in whatever order they
// are sorted.
static int by_p(const void *a, const void *b) {
    double p = **(double *const *)a, q = **(double *const *)b;
    return (p > q) - (p < q);
}

void hp_adjust_significance(double *p, size_t count) {
    double **tested = hp_alloc(count * sizeof *tested);
    size_t m = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isnan(p[i])) {
            tested[m++] = &p[i];
        }
    }
    qsort(tested, m, sizeof *tested, by_p);
    double least = 1;
    for (size_t j = m; j > 0; j--) {
        // m / j is computed first, so that the last p-value is multiplied by exactly 1.
        least = fmin(least, *tested[j - 1] * ((double)m / (double)j));
        *tested[j - 1] = least;
    }
    free(tested);
}
