// What allocators and the kernel say, beside the dumps of the same processes.
#ifndef HP_LIB_ACCOUNTS_H
#define HP_LIB_ACCOUNTS_H

#include "model/profile.h"

// As hp_read_inputs(), of dumps that have statistics: those of options->stats and smaps, or files
// among the paths, which are told by their content and by their names but for the ending.  What
// lacks the other part is left out, and a warning names it.
HP_MUST_CHECK int hp_accounts_read(struct hp_profile *profile, const char *const *paths,
                                   size_t count, const struct hp_read_options *options,
                                   struct hp_err *err);

#endif
