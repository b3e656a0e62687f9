// What the numbers of a dump are.
#ifndef HP_CALC_SCALING_H
#define HP_CALC_SCALING_H

#include "model/dump.h"

struct hp_dump_scaling {
    enum hp_scaling scaling;
    bool adds_up;   // the numbers of the stacks to those of the header, as they stand
    bool has_alloc; // some stack tells what was ever allocated
};

// From what the format tells, or else from the numbers.
struct hp_dump_scaling hp_dump_scaling_of(const struct hp_dump *dump);

#endif
