// The last allocations of a process, beside a dump of it that has its memory map.
#ifndef HP_LIB_RECENTS_H
#define HP_LIB_RECENTS_H

#include "model/profile.h"

// As hp_read_inputs(), of one dump; and what options->recent has into profile->recent, its stacks with
// the others.
HP_MUST_CHECK int hp_recents_read(struct hp_profile *profile, const char *const *paths,
                                  size_t count, const struct hp_read_options *options,
                                  struct hp_err *err);

#endif
