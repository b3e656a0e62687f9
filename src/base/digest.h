// Digests of 128 bits that identify texts, the same in every process and on every
// machine: XXH3-128, whose canonical form is of[0], then of[1], the high byte first.
//
// No secret goes into a digest: an attacker can make two texts with the same one.
#ifndef HP_BASE_DIGEST_H
#define HP_BASE_DIGEST_H

#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

struct hp_digest {
    // The high half, then the low half; both 0: not known.
    uint64_t of[2];
};

// Whether a digest has been computed; {0} means that it is not known.
static inline bool hp_digest_is_known(struct hp_digest digest) {
    return digest.of[0] != 0 || digest.of[1] != 0;
}

struct hp_digest hp_digest_of(struct hp_span text);

// The digest of at most eight numbers: of their bytes, eight for each number, the low
// byte first.
struct hp_digest hp_digest_of_numbers(const uint64_t *numbers, size_t count);

// Computes the digest of a text that arrives in pieces; where it is cut makes no
// difference.  {0} is ready for hp_digester_start(), which begins a text and may be
// called again for another one.
struct hp_digester {
    struct XXH3_state_s *state;
};

void hp_digester_start(struct hp_digester *digester);
void hp_digester_add(struct hp_digester *digester, struct hp_span piece);
// The digest of all pieces since hp_digester_start().
struct hp_digest hp_digester_end(const struct hp_digester *digester);
// Free the state; a digester may be started again afterwards.
void hp_digester_done(struct hp_digester *digester);

#endif
