// Redaction: a profile whose reports may be given to others.
#ifndef HP_LIB_REDACT_H
#define HP_LIB_REDACT_H

#include "model/profile.h"

// The key of the hashes that replace names.
struct hp_redact_key {
    uint8_t bytes[32];
};

// Replace, after symbolizing, names of functions, files, modules, threads, programs and
// inputs, values of labels, and build ids by keyed hashes.  Names in modules of the
// system are kept, and the class of each frame stays as it was.  Warnings, sentences
// about chosen dumps, comments, and the reasons why inputs are not used are dropped.
// Does nothing if the profile is redacted already.
void hp_redact(struct hp_profile *profile, const struct hp_redact_key *key);

#endif
