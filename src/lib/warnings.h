// What the reader of a report should know, one sentence each.
#ifndef HP_LIB_WARNINGS_H
#define HP_LIB_WARNINGS_H

#include "model/profile.h"

void hp_warn_of_inputs(struct hp_profile *profile);
void hp_warn_of_modules(struct hp_profile *profile); // after symbolizing

// Say of each side which dumps count, where a process has several.
void hp_tell_moments(struct hp_profile *profile);

#endif
