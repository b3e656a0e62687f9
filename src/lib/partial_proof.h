// Find out which builds the dumps of a partial ran.  The return addresses of all its
// dumps together show it, or those of each dump, if these are recorded individually.
#ifndef HP_LIB_PARTIAL_PROOF_H
#define HP_LIB_PARTIAL_PROOF_H

#include "calc/embedded_symbols.h"
#include "model/profile.h"

// Let the prover find out which builds the modules are, in a profile that contains one
// partial and has a history if dumps are recorded individually.  The history is dropped
// if no report needs it.  Modules cannot be looked up in the profile afterwards, because
// their identity has changed: add it to another profile.
void hp_partial_prove(struct hp_profile *profile, struct hp_embedded_symbols *embedded,
                      struct hp_prover *prover);

// Return whether the builds of partials are to be proven.  Partials that store which
// builds ran (stamps) are merged without a proof.
static inline bool hp_proves_partials(const struct hp_profile *profile) {
    return profile->settings.prover && !profile->settings.has_stamps;
}

#endif
