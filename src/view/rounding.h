// Rounding to whole numbers that add up to the rounded total.
#ifndef HP_VIEW_ROUNDING_H
#define HP_VIEW_ROUNDING_H

#include "base/values.h"

// Round bytes or objects: whole[i] differs from values[i] by less than 1, and the sum of
// all `whole` is the rounded sum of all `values`.
void hp_round_to_total(const hp_fixed *values, size_t count, enum hp_metric metric,
                       hp_int128 *whole);

#endif
