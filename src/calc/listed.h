// Objects in use that a dump lists one by one.
#ifndef HP_CALC_LISTED_H
#define HP_CALC_LISTED_H

#include "model/dump.h"

// Drop all but listed objects that are so many nanoseconds old, or older: stacks keep those, and
// no counts.
void hp_listed_keep(struct hp_dump *dump, uint64_t age);

#endif
