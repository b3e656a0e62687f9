// A profile whose reports may be given to others.
#ifndef HP_LIB_REDACT_H
#define HP_LIB_REDACT_H

#include "model/profile.h"

struct hp_redact_key {
    uint8_t bytes[32];
};

// Replace, after symbolizing: names of functions, files, modules, threads, programs and inputs, values
// of labels, and build ids.  What modules of the system have is kept, and which frames are own, a
// library's or the allocator's is what it was.  Warnings, moments, comments and reasons are dropped.
void hp_redact(struct hp_profile *profile, const struct hp_redact_key *key);

#endif
