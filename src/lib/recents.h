// The last allocations of a process (prof_recent), read together with a dump of it that
// has the memory map.
#ifndef HP_LIB_RECENTS_H
#define HP_LIB_RECENTS_H

#include "model/profile.h"

// Read one dump as hp_read_inputs() does, and options->recent into profile->recent.  The
// stacks of prof_recent are added to those of the dump, without values.  HP_E_FORMAT if
// both are not of one process.
HP_MUST_CHECK int hp_recents_read(struct hp_profile *profile, const char *const *paths,
                                  size_t count, const struct hp_read_options *options,
                                  struct hp_err *err);

#endif
