// Whole numbers in place of exact ones, that add up to the rounded total.
#ifndef HP_VIEW_ROUNDING_H
#define HP_VIEW_ROUNDING_H

#include "model/values.h"

// Bytes or objects: whole[i] is values[i] to less than one.
void hp_round_to_total(const hp_fixed *values, size_t count, enum hp_metric metric,
                       hp_int128 *whole);

#endif
