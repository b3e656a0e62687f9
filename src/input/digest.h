// 128 bits that tell one text from another, within one run of the program.
#ifndef HP_INPUT_DIGEST_H
#define HP_INPUT_DIGEST_H

#include "base/span.h"
#include "model/input.h"

// A text that comes piece by piece; how it is cut makes no difference.
struct hp_digester {
    uint64_t key, lane[2];
    uint64_t size;    // bytes so far
    char pending[32]; // the last size % 32 of them
};

void hp_digester_init(struct hp_digester *digester);
void hp_digester_add(struct hp_digester *digester, struct hp_span piece);
struct hp_digest hp_digester_end(const struct hp_digester *digester);

struct hp_digest hp_digest_of(struct hp_span text);
struct hp_digest hp_digest_join(struct hp_digest a, struct hp_digest b); // of a, then b

#endif
