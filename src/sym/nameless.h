// Functions without names, which are known only by their start, from unwind tables.
#ifndef HP_SYM_NAMELESS_H
#define HP_SYM_NAMELESS_H

#include "model/profile.h"

// Find modules that share a file name with another build, drop starts of functions that
// could be confused with those of another build, and add to the note of each module how
// many addresses are known only by them.  Call once all build ids are known.
void hp_nameless_settle(struct hp_profile *profile);

#endif
