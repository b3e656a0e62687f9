// Whether the files that names come from are those that ran, by the return addresses of all
// inputs together: the rule of jeprof, and of profiles that are read without a prover.  With a
// prover each dump is compared by itself: see fits.h.
#ifndef HP_SYM_RETURN_ADDRESSES_H
#define HP_SYM_RETURN_ADDRESSES_H

#include "model/profile.h"
#include "sym/calls.h"

// Whether a path is that of the C library, where handlers of signals return to.
bool hp_is_libc(struct hp_span path);

// Count module->returns.checked and .failed of all modules; kinds[i] is an enum hp_return of frame i.
void hp_returns_count(struct hp_profile *profile, const unsigned char *kinds);

// What the counts of a module say.  A sign is anything else that speaks against its file.
enum hp_build_verdict hp_returns_judge(const struct hp_return_check *returns,
                                       bool has_sign);

#endif
