// Estimates that the writer of a profile has made itself, of which the error remains.
#ifndef HP_CALC_SCALED_H
#define HP_CALC_SCALED_H

#include "calc/uncertainty.h"
#include "model/dump.h"

// The numbers of one dump show how its writer scaled them.
struct hp_scaled {
    uint64_t period;
    bool
        tells_objects; // the sampled objects of all lines of a told size can be recovered
    bool may_be_of_means; // raw numbers may have been scaled by the mean size of a stack
};

void hp_scaled_init(struct hp_scaled *scaled, const struct hp_dump *dump);

// Estimate one column of a stack, whose objects have `size` bytes each, 0 if no label tells.
struct hp_unbiased hp_scaled_estimate(const struct hp_scaled *scaled,
                                      struct hp_count count, uint64_t size);

#endif
