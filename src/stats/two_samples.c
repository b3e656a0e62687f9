// For n values y_i with weights w_i, the sum N of the weights, and S = sum w_i (y_i -
// mean)^2:
//
//     pooled   s^2 = (S1 + S2) / (n1 + n2 - 2),   variance s^2 (1/N1 + 1/N2)
//     Welch's  s1^2 = S1 / (n1 - 1) ...,          variance s1^2/N1 + s2^2/N2
//
// d is the mean logarithm of the second sample minus that of the first.  It is converted
// to bytes relative to the common mean G of both, so that a decrease is not further from
// 0 than the same increase:
//
//     G (e^(d N1/N) - e^(-d N2/N)),   log G = mean of all y + s^2/2 n/N
//
// where s^2/2 is the difference between the logarithm of a mean and the mean of
// logarithms.  With only three values s^2 is too inexact, and is not included.
#include "stats/two_samples.h"

#include "stats/distributions.h"

#include <math.h>

static const double most_bytes = 0x1p100; // limit of a change; larger than any real one

void hp_scatter_add(struct hp_scatter *sample, double value, double weight) {
    sample->count++;
    sample->weight += weight;
    sample->sum += weight * value;
    sample->squares += weight * value * value;
}

void hp_scatter_fill(struct hp_scatter *sample, size_t count, double weight) {
    sample->count = count;
    sample->weight = weight;
}

static double mean_of(const struct hp_scatter *sample) {
    return sample->sum / sample->weight;
}

// Return the weighted sum of squares of the values' distances from their mean.
static double squares_of(const struct hp_scatter *sample) {
    return fmax(sample->squares - sample->sum * mean_of(sample), 0);
}

double hp_scatter_variance(const struct hp_scatter *sample) {
    return sample->count > 1 ? squares_of(sample) / ((double)sample->count - 1) : 0;
}

static double pooled_variance(const struct hp_scatter samples[2]) {
    double freedom = (double)(samples[0].count + samples[1].count) - 2;
    return (squares_of(&samples[0]) + squares_of(&samples[1])) / freedom;
}

struct hp_contrast hp_pooled_contrast(const struct hp_scatter samples[2]) {
    double reach = 1 / samples[0].weight + 1 / samples[1].weight;
    return (struct hp_contrast){
        .difference = mean_of(&samples[1]) - mean_of(&samples[0]),
        .sd = sqrt(pooled_variance(samples) * reach),
        .freedom = (double)(samples[0].count + samples[1].count) - 2,
    };
}

struct hp_contrast hp_welch_contrast(const struct hp_scatter samples[2]) {
    double all = 0, parts = 0;
    for (int i = 0; i < 2; i++) {
        double freedom = (double)samples[i].count - 1;
        double variance = hp_scatter_variance(&samples[i]) / samples[i].weight;
        all += variance;
        parts += variance * variance / freedom;
    }
    double least = (double)(samples[0].count + samples[1].count) - 2;
    return (struct hp_contrast){
        .difference = mean_of(&samples[1]) - mean_of(&samples[0]),
        .sd = sqrt(all),
        .freedom = parts > 0 ? all * all / parts : least,
    };
}

// Return the probability that Student's t exceeds difference / sd.  If sd is 0: 0, 0.5 or
// 1, for a difference above, equal to or below 0.
static double above(double difference, const struct hp_contrast *contrast) {
    if (contrast->sd > 0) {
        return hp_student_above(difference / contrast->sd, contrast->freedom);
    }
    return difference > 0 ? 0 : difference < 0 ? 1 : 0.5;
}

double hp_contrast_growth_p(const struct hp_contrast *contrast) {
    return above(contrast->difference, contrast);
}

double hp_contrast_shrinkage_p(const struct hp_contrast *contrast) {
    return above(-contrast->difference, contrast);
}

struct hp_interval hp_contrast_interval(const struct hp_contrast *contrast,
                                        double confidence) {
    double half = 0;
    if (contrast->sd > 0) {
        half = contrast->sd *
               hp_student_quantile_above((1 - confidence) / 2, contrast->freedom);
    }
    return (struct hp_interval){contrast->difference - half, contrast->difference + half};
}

// --- logarithms ------------------------------------------------------------------------

struct hp_ratio hp_ratio_of_logs(const struct hp_scatter logs[2], double unit) {
    struct hp_ratio ratio = {.count = 0};
    size_t count = logs[0].count + logs[1].count;
    double weight = logs[0].weight + logs[1].weight;
    if (logs[0].count == 0 || logs[1].count == 0 || count < 3) {
        return ratio;
    }
    ratio.tests[ratio.count++] = hp_pooled_contrast(logs);
    if (logs[0].count > 1 && logs[1].count > 1) {
        ratio.tests[ratio.count++] = hp_welch_contrast(logs);
    }
    double above = count > 3 ? pooled_variance(logs) / 2 * (double)count / weight : 0;
    ratio.center = unit * exp((logs[0].sum + logs[1].sum) / weight + above);
    ratio.shares[0] = logs[0].weight / weight;
    ratio.shares[1] = logs[1].weight / weight;
    return ratio;
}

double hp_ratio_growth_p(const struct hp_ratio *ratio) {
    double p = 0;
    for (size_t i = 0; i < ratio->count; i++) {
        p = fmax(p, hp_contrast_growth_p(&ratio->tests[i]));
    }
    return p;
}

double hp_ratio_shrinkage_p(const struct hp_ratio *ratio) {
    double p = 0;
    for (size_t i = 0; i < ratio->count; i++) {
        p = fmax(p, hp_contrast_shrinkage_p(&ratio->tests[i]));
    }
    return p;
}

// Convert a difference of mean logarithms to a change in bytes, by the formula at the top
// of this file.
static double bytes_of(const struct hp_ratio *ratio, double difference) {
    double grown = exp(difference * ratio->shares[0]);
    double before = exp(-difference * ratio->shares[1]);
    return fmax(fmin(ratio->center * (grown - before), most_bytes), -most_bytes);
}

struct hp_interval hp_ratio_interval(const struct hp_ratio *ratio, double confidence) {
    struct hp_interval hull = {INFINITY, -INFINITY};
    for (size_t i = 0; i < ratio->count; i++) {
        struct hp_interval open = hp_contrast_interval(&ratio->tests[i], confidence);
        hull.low = fmin(hull.low, bytes_of(ratio, open.low));
        hull.high = fmax(hull.high, bytes_of(ratio, open.high));
    }
    return hull;
}
