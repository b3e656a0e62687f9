// Processes that ran one after the other, as the times of their files show.
#ifndef HP_LIB_CONSECUTIVE_H
#define HP_LIB_CONSECUTIVE_H

#include "model/profile.h"

// Look for consecutive processes on one side of a comparison.  All processes of the side
// must be of one program and in one folder.  Each must have two dumps or more, whose
// times rise with their numbers over a minute or longer; no two processes may overlap.
// Fewer dumps, or times within a minute, may be those of copies.  Returns {0} then, and
// if any of this is unknown.
struct hp_consecutive hp_consecutive_runs(const struct hp_profile *profile, bool is_base);

#endif
