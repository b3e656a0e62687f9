// Processes that ran one after the other, by the times of their files.
#ifndef HP_LIB_CONSECUTIVE_H
#define HP_LIB_CONSECUTIVE_H

#include "model/profile.h"

// The processes of a side are of one program and one folder; each has two dumps or more whose times
// rise with their numbers over a minute or longer, and no two processes overlap.  Fewer dumps, or
// times within a minute, are those of copies: then, and where not all of it is known, {0}.
struct hp_consecutive hp_consecutive_runs(const struct hp_profile *profile, bool is_base);

#endif
