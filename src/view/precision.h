// What sampling leaves open in the numbers of one report.
#ifndef HP_VIEW_PRECISION_H
#define HP_VIEW_PRECISION_H

#include "model/profile.h"
#include "stats/interval.h"

struct hp_precision {
    double confidence;
    bool is_known[HP_COLUMNS];   // the profile has errors, and the report is to show them
    uint64_t period[HP_COLUMNS]; // the largest: what is not seen may hold as much
};

// options->confidence and no_error are looked at.
void hp_precision_init(struct hp_precision *precision, const struct hp_profile *profile,
                       const struct hp_report_options *options);

// The interval of a value; NAN where nothing is known.
struct hp_interval hp_precision_range(const struct hp_precision *precision,
                                      hp_fixed value, const struct hp_error *error,
                                      enum hp_metric metric);

// On how many equal samples a value stands; NAN where it does not stand on samples.
double hp_precision_samples(const struct hp_precision *precision, hp_fixed value,
                            const struct hp_error *error, enum hp_metric metric);

#endif
