// From exact sums to what a report says of one number: its interval, and how much it stands
// on.
#ifndef HP_STATS_MEASURE_H
#define HP_STATS_MEASURE_H

#include "model/error.h"
#include "stats/interval.h"

// Of a value of a metric and the error of its column.
struct hp_measure hp_measure_of(hp_fixed value, const struct hp_error *error,
                                enum hp_metric metric);

// False where no one knows: for counts of objects of mixed sizes, or of none that was sampled.
bool hp_measure_is_known(const struct hp_error *error, enum hp_metric metric);

// As many equal samples as would leave this error; infinite if there is none.
double hp_effective_samples(struct hp_measure measure);

// The variance that sampling leaves in an estimate of bytes in so many objects: if all have one
// size, and the bound for whatever sizes.
double hp_variance_of(double bytes, double objects, uint64_t period);
double hp_variance_bound(double bytes, double objects, uint64_t period);

#endif
