// Find out which builds the dumps of a partial ran.  The return addresses of all its
// dumps together show it.
#ifndef HP_LIB_PARTIAL_PROOF_H
#define HP_LIB_PARTIAL_PROOF_H

#include "model/profile.h"

// Let the prover find out which builds the modules are, in a profile that contains one
// partial.  Modules cannot be looked up in the profile afterwards, because their identity
// has changed: add it to another profile.
void hp_partial_prove(struct hp_profile *profile, struct hp_prover *prover);

// Return whether the builds of partials are to be proven.  Partials that store which
// builds ran (stamps) are merged without a proof.
static inline bool hp_proves_partials(const struct hp_profile *profile) {
    return profile->prover && !profile->has_stamps;
}

#endif
