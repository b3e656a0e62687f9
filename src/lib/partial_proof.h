// Which builds the dumps of a partial have run: its return addresses tell, all dumps together.
#ifndef HP_LIB_PARTIAL_PROOF_H
#define HP_LIB_PARTIAL_PROOF_H

#include "model/profile.h"

// Prove the modules of a profile that holds one partial.  Nothing may be looked up in it by its modules
// afterwards: it is to be added to another.
void hp_partial_prove(struct hp_profile *profile, struct hp_prover *prover);

// Whether partials are proven at all: those with stamps are merged as they are.
static inline bool hp_proves_partials(const struct hp_profile *profile) {
    return profile->prover && !profile->has_stamps;
}

#endif
