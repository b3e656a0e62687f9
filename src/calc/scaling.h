// Find out whether the numbers of a dump are raw or were rewritten by jemalloc.
#ifndef HP_CALC_SCALING_H
#define HP_CALC_SCALING_H

#include "model/dump.h"

// The result.
struct hp_dump_scaling {
    enum hp_scaling scaling; // HP_SCALING_NONE_SEEN: the dump has no numbers
    bool adds_up;   // the numbers of the stacks add up to those of the header, unscaled
    bool has_alloc; // some stack has numbers of allocations since the start
};

// Use what the format of the dump states, else deduce it from the numbers.
struct hp_dump_scaling hp_dump_scaling_of(const struct hp_dump *dump);

// Properties of lines of raw numbers that have a single object.  Their bytes are the size
// that jemalloc gave to the object.
struct hp_lone_sizes {
    // All such objects of up to HP_LARGE_FROM bytes have the size of a class; also true
    // if there are none.
    bool small_are_classes;
    // All larger ones have the size of a class, and they are enough to be sure.
    bool large_are_classes;
};

// Look at all lines of a dump, those of threads included.
struct hp_lone_sizes hp_lone_sizes_of(const struct hp_dump *dump);

#endif
