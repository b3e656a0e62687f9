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

// The sizes of objects that stand alone in a line of raw numbers: those that jemalloc gives.
struct hp_lone_sizes {
    bool
        small_are_classes; // those of up to HP_LARGE_FROM bytes, as far as there are some
    bool large_are_classes; // the others, of which there are enough to tell
};

struct hp_lone_sizes hp_lone_sizes_of(const struct hp_dump *dump);

#endif
