#include "view/precision.h"

#include "stats/measure.h"
#include "view/chosen.h"

#include <math.h>

void hp_precision_init(struct hp_precision *precision, const struct hp_profile *profile,
                       const struct hp_report_options *options) {
    *precision = (struct hp_precision){.confidence = hp_chosen_confidence(options)};
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        precision->is_known[i] = !options->no_error && hp_profile_has_errors(profile, i);
        precision->period[i] = hp_profile_error(profile, i).period;
    }
}

static bool is_known(const struct hp_precision *precision, const struct hp_error *error,
                     enum hp_metric metric) {
    return precision->is_known[hp_column_of(metric)] &&
           hp_measure_is_known(error, metric);
}

struct hp_interval hp_precision_range(const struct hp_precision *precision,
                                      hp_fixed value, const struct hp_error *error,
                                      enum hp_metric metric) {
    struct hp_error own = *error;
    if (own.samples == 0) {
        own.period = precision->period[hp_column_of(metric)];
    }
    if (!is_known(precision, &own, metric)) {
        return (struct hp_interval){NAN, NAN};
    }
    return hp_interval_of(hp_measure_of(value, &own, metric), precision->confidence);
}

double hp_precision_samples(const struct hp_precision *precision, hp_fixed value,
                            const struct hp_error *error, enum hp_metric metric) {
    bool has_samples = error->samples > 0 && error->period > 0;
    return has_samples && is_known(precision, error, metric)
               ? hp_effective_samples(hp_measure_of(value, error, metric))
               : NAN;
}
