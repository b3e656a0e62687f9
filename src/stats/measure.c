// C objects of size S = t R: C R^2 t^2 / (e^t - 1), whose bound is its maximum from there on.
#include "stats/measure.h"

#include <math.h>

static const double top = 1.5936242600400399; // where t^2 / (e^t - 1) is largest

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

static double variance(double objects, double t, uint64_t period) {
    return objects * (double)period * (double)period * t * t / expm1(t);
}

double hp_variance_of(double bytes, double objects, uint64_t period) {
    bool has_variance = period > 1 && bytes > 0 && objects > 0;
    return has_variance ? variance(objects, bytes / objects / (double)period, period) : 0;
}

double hp_variance_bound(double bytes, double objects, uint64_t period) {
    bool has_variance = period > 1 && bytes > 0 && objects > 0;
    return has_variance
               ? variance(objects, fmin(bytes / objects / (double)period, top), period)
               : 0;
}
