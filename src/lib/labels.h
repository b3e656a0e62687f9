// What the paths of dumps tell of them.
#ifndef HP_LIB_LABELS_H
#define HP_LIB_LABELS_H

#include "model/profile.h"

// The groups of a PCRE2 pattern that have names label the inputs whose path it matches.
HP_MUST_CHECK int hp_labels_set(struct hp_profile *profile, const char *pattern,
                                struct hp_err *err);

#endif
