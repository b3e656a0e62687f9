// Redaction: a profile whose reports may be given to others.
#ifndef HP_LIB_REDACT_H
#define HP_LIB_REDACT_H

#include "model/profile.h"

// The key of the hashes.
struct hp_redact_key {
    uint8_t bytes[32];
};

// Replace, after symbolizing, names of functions, files, modules, threads, programs and
// inputs, values of labels, and build ids.  Names in modules of the system are kept, and
// the class of each frame stays as it was.  Warnings, moments, comments and reasons are
// dropped.  Does nothing if the profile is redacted already.
void hp_redact(struct hp_profile *profile, const struct hp_redact_key *key);

#endif
