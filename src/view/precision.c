#include "view/precision.h"

#include <math.h>
#include <string.h>

static const double few_samples = 5; // effective ones

static bool is_known(const struct hp_precision *precision, const struct hp_error *error,
                     enum hp_metric metric) {
    return precision->is_known[hp_column_of(metric)] &&
           hp_measure_is_known(error, metric);
}

static struct hp_interval range_of(const struct hp_precision *precision, hp_fixed value,
                                   const struct hp_error *error, enum hp_metric metric) {
    struct hp_error own = *error;
    if (own.samples == 0) {
        own.period = precision->period[hp_column_of(metric)];
    }
    if (!is_known(precision, &own, metric)) {
        return (struct hp_interval){NAN, NAN};
    }
    return hp_interval_of(hp_measure_of(value, &own, metric), precision->confidence);
}

void hp_precision_complete(struct hp_precision *precision) {
    static const struct hp_error none;
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        precision->of_nothing[metric] = range_of(precision, 0, &none, metric);
    }
}

struct hp_interval hp_precision_range(const struct hp_precision *precision,
                                      hp_fixed value, const struct hp_error *error,
                                      enum hp_metric metric) {
    static const struct hp_error none;
    bool is_nothing = value == 0 && memcmp(error, &none, sizeof none) == 0;
    return is_nothing ? precision->of_nothing[metric]
                      : range_of(precision, value, error, metric);
}

double hp_precision_samples(const struct hp_precision *precision, hp_fixed value,
                            const struct hp_error *error, enum hp_metric metric) {
    bool has_samples = error && error->samples > 0 && error->period > 0;
    return has_samples && is_known(precision, error, metric)
               ? hp_effective_samples(hp_measure_of(value, error, metric))
               : NAN;
}

const char *hp_row_flag_text(unsigned bit) {
    static const char *const texts[HP_ROW_FLAGS] = {"few-samples", "seen-once",
                                                    "mixed-sizes", "significant"};

    return texts[bit];
}

unsigned hp_precision_flags(const struct hp_precision *precision, hp_fixed value,
                            const struct hp_error *error, enum hp_metric metric) {
    if (error && error->flags != 0 && !is_known(precision, error, metric)) {
        return HP_ROW_MIXED_SIZES;
    }
    double samples = hp_precision_samples(precision, value, error, metric);
    bool is_once = error && error->samples == 1 && error->period > 0;
    return (samples < few_samples ? HP_ROW_FEW_SAMPLES : 0) | // false for NAN
           (is_once ? HP_ROW_SEEN_ONCE : 0);
}
