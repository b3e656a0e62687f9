// Warnings and other sentences for the reader of a report.  They are appended to the
// profile.
#ifndef HP_LIB_WARNINGS_H
#define HP_LIB_WARNINGS_H

#include "model/profile.h"

// Warn about inputs; call it when they have been read.
void hp_warn_of_inputs(struct hp_profile *profile);
// About binaries; call it after symbolizing.
void hp_warn_of_modules(struct hp_profile *profile);

// Say for each side of a comparison which dumps are used, where a process has several.
void hp_describe_moments(struct hp_profile *profile);

#endif
