#include "view/precision.h"

#include <math.h>
#include <string.h>

// A row of fewer effective samples gets HP_ROW_FEW_SAMPLES.
static const double few_samples = 5;

// Whether the error of a value is known and shown.
static bool is_known(const struct hp_precision *precision, const struct hp_error *error,
                     enum hp_metric metric) {
    return precision->is_known[hp_column_of(metric)] &&
           hp_measure_is_known(error, metric);
}

struct hp_interval hp_precision_range_of_chosen(const struct hp_precision *precision,
                                                hp_fixed value,
                                                const struct hp_error *error,
                                                enum hp_metric metric, double rows) {
    struct hp_error own = *error;
    if (own.samples == 0) {
        own.period = precision->period[hp_column_of(metric)];
    }
    if (!precision->is_known[hp_column_of(metric)] ||
        !hp_measure_has_least(&own, metric)) {
        return (struct hp_interval){NAN, NAN};
    }
    struct hp_interval range =
        hp_interval_of_chosen(hp_measure_of(value, &own, metric), precision->confidence,
                              rows * precision->among);
    return hp_measure_is_known(&own, metric) ? range
                                             : (struct hp_interval){range.low, NAN};
}

struct hp_interval hp_precision_range(const struct hp_precision *precision,
                                      hp_fixed value, const struct hp_error *error,
                                      enum hp_metric metric) {
    return hp_precision_range_of_chosen(precision, value, error, metric, 1);
}

struct hp_interval hp_precision_rounding(hp_fixed value, const struct hp_error *error,
                                         enum hp_metric metric) {
    struct hp_measure m = hp_measure_of(value, error, metric);
    return (struct hp_interval){m.estimate - m.excess, m.highest};
}

double hp_precision_samples(const struct hp_precision *precision, hp_fixed value,
                            const struct hp_error *error, enum hp_metric metric) {
    bool has_samples = error && error->samples > 0 && error->period > 0;
    if (!has_samples || !is_known(precision, error, metric)) {
        return NAN;
    }
    double effective = hp_effective_samples(hp_measure_of(value, error, metric));
    bool is_counted = (error->flags & (HP_ERROR_MIXED | HP_ERROR_UNCOUNTED)) == 0;
    return is_counted ? fmin(effective, (double)error->samples) : effective;
}

bool hp_precision_is_of_seen_sizes(const struct hp_error *error, struct hp_interval range,
                                   enum hp_metric metric) {
    return hp_fraction(metric) == HP_OBJECTS_FRACTION && error && error->samples > 0 &&
           range.high > range.low; // false for NAN
}

const char *hp_row_flag_text(unsigned bit) {
    static const char *const texts[HP_ROW_FLAGS] = {"few-samples", "seen-once",
                                                    "mixed-sizes", "significant"};

    return texts[bit];
}

const char *hp_read_text(enum hp_read read) {
    static const char *const texts[HP_READS] = {"unique", "several", "none"};
    return texts[read];
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
