// Whether the files that names come from are those that ran, judged by the return
// addresses of all inputs together.  This is the rule of jeprof, used for profiles that
// are read without a prover.  With a prover each dump is compared separately, see fits.h.
#ifndef HP_SYM_RETURN_ADDRESSES_H
#define HP_SYM_RETURN_ADDRESSES_H

#include "model/profile.h"
#include "sym/calls.h"

// Whether a path is that of the C library, which signal handlers return to.
bool hp_is_libc(struct hp_span path);

// Set module->returns.checked and .failed of all modules.  kinds[i] is the enum hp_return
// of frame i.
void hp_returns_count(struct hp_profile *profile, const unsigned char *kinds);

// The verdict on a file from the counts of its module.  `has_sign`: something other than
// code speaks against the file.
enum hp_build_verdict hp_returns_judge(const struct hp_return_check *returns,
                                       bool has_sign);

#endif
