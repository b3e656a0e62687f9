// Estimates that the writer of a profile has made itself, of which the error remains.
#ifndef HP_CALC_SCALED_H
#define HP_CALC_SCALED_H

#include "calc/uncertainty.h"
#include "model/dump.h"

// What is known of a writer by the numbers of one dump.
struct hp_scaled {
    uint64_t period;
    bool
        tells_objects; // the sampled objects of all lines of a told size can be recovered
    bool may_be_of_means; // raw numbers may have been scaled by the mean size of a stack
};

void hp_scaled_init(struct hp_scaled *scaled, const struct hp_dump *dump);

// Of one column of a stack, whose objects are of `size` bytes each, 0 if that is not told.
struct hp_unbiased hp_scaled_estimate(const struct hp_scaled *scaled,
                                      struct hp_count count, uint64_t size);

#endif
