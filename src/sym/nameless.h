// Functions without names, which tables for unwinding say the beginnings of.
#ifndef HP_SYM_NAMELESS_H
#define HP_SYM_NAMELESS_H

#include "model/profile.h"

// Find the modules that share a file name with another build, forget beginnings that nothing tells apart from
// those of another build, and note for each module how many addresses are known by them.
void hp_nameless_settle(struct hp_profile *profile);

#endif
