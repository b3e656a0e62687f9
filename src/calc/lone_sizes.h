// The sizes of objects that stand alone in a line of raw numbers: those that jemalloc gives.
#ifndef HP_CALC_LONE_SIZES_H
#define HP_CALC_LONE_SIZES_H

#include "model/dump.h"

struct hp_lone_sizes {
    bool
        small_are_classes; // those of up to HP_LARGE_FROM bytes, as far as there are some
    bool large_are_classes; // the others, of which there are enough to tell
};

struct hp_lone_sizes hp_lone_sizes_of(const struct hp_dump *dump);

#endif
