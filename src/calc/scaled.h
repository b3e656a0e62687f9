// Estimates that the writer of a profile (pprof) has made itself: only their error is
// left to estimate.
#ifndef HP_CALC_SCALED_H
#define HP_CALC_SCALED_H

#include "calc/uncertainty.h"
#include "model/dump.h"

// How the writer of one dump scaled its numbers.
struct hp_scaled {
    uint64_t period; // sample period in bytes; a usual one if the dump has none
    // In all lines with a size label the number of sampled objects can be recovered.
    bool recovers_objects;
    // Lines without a size may be raw numbers scaled by the mean size of the stack.
    bool may_be_of_means;
};

// Find out how the numbers of the dump were scaled.
void hp_scaled_init(struct hp_scaled *scaled, const struct hp_dump *dump);

// Estimate one column of a stack.  `size`: bytes of each object, by the label "bytes"; 0:
// there is no label.
struct hp_unbiased hp_scaled_estimate(const struct hp_scaled *scaled,
                                      struct hp_count count, uint64_t size);

#endif
