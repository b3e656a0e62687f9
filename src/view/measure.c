#include "view/measure.h"

#include <math.h>

struct hp_measure hp_measure_of(hp_fixed value, const struct hp_error *error,
                                enum hp_metric metric) {
    double estimate = hp_fixed_double(value, metric);
    if (hp_fraction(metric) == HP_SPACE_FRACTION) {
        return (struct hp_measure){
            .estimate = estimate,
            .highest = estimate + (double)error->excess,
            .variance = (double)error->variance,
            .certain = (double)error->certain,
            .jump = (double)error->period,
        };
    }
    return (struct hp_measure){
        .estimate = estimate,
        .highest = estimate,
        .variance = (double)error->objects_variance / (1 << HP_ERROR_FRACTION),
        .certain = (double)error->samples,
        .jump = error->weight,
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
