// Objects in use that a dump lists one by one, each with its age.
#ifndef HP_CALC_LISTED_H
#define HP_CALC_LISTED_H

#include "model/dump.h"

// Drop everything except listed objects of at least `age` nanoseconds.  Stacks without
// such an object are removed; the others keep these objects and lose their counts.
void hp_listed_keep(struct hp_dump *dump, uint64_t age);

#endif
