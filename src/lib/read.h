// Reading many inputs with several threads into one profile.
#ifndef HP_LIB_READ_H
#define HP_LIB_READ_H

#include "model/profile.h"

// As hp_profile_read(), up to the canonical order and the warnings.
HP_MUST_CHECK int hp_read_inputs(struct hp_profile *profile, const char *const *paths,
                                 size_t count, const struct hp_read_options *options,
                                 struct hp_err *err);

// Give functions that inputs tell by short names their full ones.
void hp_restore_names(struct hp_profile *profile, enum hp_sandbox sandbox);

#endif
