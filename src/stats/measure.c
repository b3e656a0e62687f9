// With B estimated bytes, variance bound V, max_weight k, at error alpha = 1 - confidence:
//
//     low  = V/B times the alpha/2 quantile of Gamma(B^2/V), or what was observed if more
//     high = V'/B' times the 1 - alpha/2 quantile of Gamma(B'^2/V'), B' = B + k, V' = V + k^2
//
// the latter with the highest B.  Growth from (B1, V1) to (B2, V2) has the p-value
//
//     I_q(a2, a1), q = s1 / (s1 + s2), ai = Bi^2/Vi, si = Vi/Bi, the highest B1 and V1 with k
//
// which is the exact conditional binomial test when all samples weigh the same.
//
// The variance of C objects of size S = t R is C R^2 t^2 / (e^t - 1), whose bound is its
// maximum from there on.  Of m p-values in order, p(1) <= ... <= p(m), the adjusted ones are
//
//     q(i) = least of p(j) m / j, j >= i
#include "stats/measure.h"

#include "base/memory.h"
#include "stats/distributions.h"

#include <math.h>
#include <stdlib.h>

static const double top = 1.5936242600400399; // where t^2 / (e^t - 1) is largest
static const double normal_from = 1e6;        // shape

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

double hp_effective_samples(struct hp_measure measure) {
    return measure.variance > 0 ? measure.estimate * measure.estimate / measure.variance
                                : INFINITY;
}

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

// --- intervals and p-values ------------------------------------------------------------

struct gamma {
    double shape, scale;
};

static struct gamma gamma_of(double mean, double variance) {
    return (struct gamma){mean * mean / variance, variance / mean};
}

static struct gamma with_one_more(double mean, struct hp_measure m) {
    return gamma_of(mean + m.max_weight, m.variance + m.max_weight * m.max_weight);
}

static double low_end(struct hp_measure m, double alpha) {
    double lowest = fmax(m.estimate - m.excess, 0);
    if (lowest <= 0 || m.variance <= 0) {
        return fmax(lowest, m.observed);
    }
    struct gamma g = gamma_of(lowest, m.variance);
    return fmax(g.scale * hp_gamma_quantile_below(g.shape, alpha / 2), m.observed);
}

static double high_end(struct hp_measure m, double alpha) {
    if (m.variance <= 0 && m.max_weight <= 0) {
        return fmax(m.highest, m.estimate);
    }
    struct gamma g = with_one_more(fmax(m.highest, m.estimate), m);
    return g.scale * hp_gamma_quantile_above(g.shape, alpha / 2);
}

struct hp_interval hp_interval_of(struct hp_measure measure, double confidence) {
    double alpha = 1 - confidence, high = high_end(measure, alpha);
    return (struct hp_interval){fmin(low_end(measure, alpha), high), high};
}

// The probability when next to nothing is random.
static double certain_p(double before, double after) {
    return after > before ? 0 : 1;
}

double hp_growth_p(struct hp_measure before, struct hp_measure after) {
    if (after.estimate <= 0) {
        return 1;
    }
    // Mixed sizes may have hidden some of what there was: that is no growth.
    double start = fmax(before.highest, before.estimate);
    double start_variance = before.variance + before.max_weight * before.max_weight;
    double variance = start_variance + after.variance;
    if (variance <= 0) {
        return certain_p(start, after.estimate);
    }
    struct gamma g1 = {0, 0}, g2 = {0, 0};
    if (start_variance > 0 && after.variance > 0) {
        g1 = with_one_more(start, before);
        g2 = gamma_of(after.estimate, after.variance);
    }
    if (g1.shape <= 0 || (g1.shape > normal_from && g2.shape > normal_from)) {
        return hp_normal_above((after.estimate - start - before.max_weight) /
                               sqrt(variance));
    }
    double q = g1.scale / (g1.scale + g2.scale), rest = g2.scale / (g1.scale + g2.scale);
    return hp_beta_below(g2.shape, g1.shape, q, rest);
}

// Zou and Donner's MOVER: the interval of a difference from those of its parts.
struct hp_interval hp_difference_interval(struct hp_measure before,
                                          struct hp_measure after, double confidence) {
    struct hp_interval b = hp_interval_of(before, confidence);
    struct hp_interval a = hp_interval_of(after, confidence);
    double growth = after.estimate - before.estimate;
    return (struct hp_interval){
        growth - hypot(after.estimate - a.low, b.high - before.estimate),
        growth + hypot(a.high - after.estimate, before.estimate - b.low),
    };
}

// Equal ones get the same q, in whatever order they are.
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
        // Divided first, so that the last is multiplied by exactly 1.
        least = fmin(least, *tested[j - 1] * ((double)m / (double)j));
        *tested[j - 1] = least;
    }
    free(tested);
}
