// Read dumps together with the statistics of their processes: the files of their
// allocators and of the kernel.
#ifndef HP_LIB_ACCOUNTS_H
#define HP_LIB_ACCOUNTS_H

#include "model/profile.h"

// Read inputs as hp_read_inputs() does, for HP_REPORT_ACCOUNT, or for HP_REPORT_PLAN with
// options->stats.  Each dump needs statistics: options->stats and options->smaps, or files
// among the paths.  Files of statistics are recognized by their content, and belong to the
// dump whose path differs only in the ending.  A file without its counterpart is skipped,
// and a warning names it.  HP_E_USAGE if no dump has statistics; HP_E_FORMAT if they are
// of another process.
HP_MUST_CHECK int hp_accounts_read(struct hp_profile *profile, const char *const *paths,
                                   size_t count, const struct hp_read_options *options,
                                   struct hp_err *err);

#endif
