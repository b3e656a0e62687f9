// 128 bits that tell one text from another, the same in every process and on every machine:
// XXH3-128, whose canonical form is of[0], then of[1], the high byte first.
//
// No secret goes into it: who wants to can make two texts of one digest.
#ifndef HP_BASE_DIGEST_H
#define HP_BASE_DIGEST_H

#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

struct hp_digest {
    uint64_t of[2];
};

static inline bool hp_digest_is_known(struct hp_digest digest) {
    return digest.of[0] != 0 || digest.of[1] != 0;
}

struct hp_digest hp_digest_of(struct hp_span text);

// Of a few numbers, each as eight bytes, the low one first.
struct hp_digest hp_digest_of_numbers(const uint64_t *numbers, size_t count);

// A text that comes piece by piece; how it is cut makes no difference.  {0} is ready for
// hp_digester_start(), which begins another text.
struct hp_digester {
    struct XXH3_state_s *state;
};

void hp_digester_start(struct hp_digester *digester);
void hp_digester_add(struct hp_digester *digester, struct hp_span piece);
struct hp_digest hp_digester_end(const struct hp_digester *digester);
void hp_digester_done(struct hp_digester *digester);

#endif
