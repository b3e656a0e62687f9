// Whether the files that names come from are those that ran, by the return addresses of all
// inputs together.
#ifndef HP_SYM_RETURN_ADDRESSES_H
#define HP_SYM_RETURN_ADDRESSES_H

#include "model/profile.h"
#include "sym/calls.h"

// Count module->returns.checked and .failed of all modules; kinds[i] is an enum hp_return of frame i.
void hp_returns_count(struct hp_profile *profile, const unsigned char *kinds);

// What the counts of a module say.  A sign is anything else that speaks against its file.
enum hp_build_verdict hp_returns_judge(const struct hp_return_check *returns,
                                       bool has_sign);

#endif
