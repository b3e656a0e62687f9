// Dumps that were truncated while they were written, as when the process is killed.
// Their names show their process; a complete dump of the same process is used instead.
//
// A memory map that is truncated after a row looks complete.  But the lowest and highest
// mapping of a process stay in place.  So a map that begins like another map of the same
// name and process id, but ends below it, is truncated.
#ifndef HP_LIB_CUT_DUMPS_H
#define HP_LIB_CUT_DUMPS_H

#include "model/profile.h"

// Mark truncated dumps as HP_INPUT_REPLACED if another dump of their process is used
// instead, and add to their error the name of that dump and their own totals.  Does
// nothing if each dump is used separately.  Call it when the inputs are identified and
// before their processes are found.
void hp_cut_dumps_settle(struct hp_profile *profile);

// Return the number of inputs that were replaced.
size_t hp_cut_dumps_count(const struct hp_profile *profile);

#endif
