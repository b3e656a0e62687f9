// Dumps that were truncated while they were written, as when the process is killed.
// Their names show their process; a complete dump of the same process is used instead.
//
// A memory map that is truncated after a row looks complete.  But the lowest and highest
// mapping of a process stay in place.  So a map that begins like another map of the same
// name and process id, but ends below it, is truncated.
#ifndef HP_LIB_CUT_DUMPS_H
#define HP_LIB_CUT_DUMPS_H

#include "base/units.h"
#include "model/profile.h"

// Mark truncated dumps as HP_INPUT_REPLACED if another dump of their process is used
// instead, and add to their error the name of that dump and their own totals.  Does
// nothing if each dump is used separately.  Call it when the inputs are identified and
// before their processes are found.
void hp_cut_dumps_settle(struct hp_profile *profile);

// Write the bytes in use that the first lines of an input say, by jeprof's formula.
// Returns false if there are none.
bool hp_cut_dumps_total(char text[HP_NUMBER_SIZE], const struct hp_input_record *input);

// Whether the memory map of an input has the last rows of a process, which are no files.
bool hp_cut_dumps_has_map_end(const struct hp_input_record *input);

// Return the number of inputs that were replaced.
size_t hp_cut_dumps_count(const struct hp_profile *profile);

#endif
