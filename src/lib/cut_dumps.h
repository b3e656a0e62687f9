// Dumps that were cut while they were written, as of a process that was killed: names tell of which
// process they are, and a whole dump of it counts in their place.
//
// A memory map that is cut behind a row looks whole.  But what is mapped lowest and highest in a process
// stays there: a map that begins as another's of the same name and process id, and ends below it, is cut.
#ifndef HP_LIB_CUT_DUMPS_H
#define HP_LIB_CUT_DUMPS_H

#include "model/profile.h"

// Skip those for which another counts, and say which, and what their own totals are; not where each
// dump counts.  The inputs are identified, and their processes not yet found.
void hp_cut_dumps_settle(struct hp_profile *profile);

// How many of them were skipped.
size_t hp_cut_dumps_count(const struct hp_profile *profile);

#endif
