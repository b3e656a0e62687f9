#include "base/digest.h"

#include "base/memory.h"

#include <assert.h>
#include <endian.h>
#include <xxhash.h>

enum {
    // Numbers that one digest can be made of, at most.
    MOST_NUMBERS = 8,
};

static struct hp_digest from_hash(XXH128_hash_t hash) {
    return (struct hp_digest){{hash.high64, hash.low64}};
}

struct hp_digest hp_digest_of(struct hp_span text) {
    return from_hash(XXH3_128bits(text.at, text.size));
}

struct hp_digest hp_digest_of_numbers(const uint64_t *numbers, size_t count) {
    uint64_t little[MOST_NUMBERS];
    assert(count <= MOST_NUMBERS);
    for (size_t i = 0; i < count; i++) {
        little[i] = htole64(numbers[i]);
    }
    return hp_digest_of((struct hp_span){(const char *)little, count * 8});
}

void hp_digester_start(struct hp_digester *digester) {
    if (!digester->state) {
        digester->state = XXH3_createState();
        if (!digester->state) {
            hp_out_of_memory(0);
        }
    }
    XXH3_128bits_reset(digester->state);
}

void hp_digester_add(struct hp_digester *digester, struct hp_span piece) {
    XXH3_128bits_update(digester->state, piece.at, piece.size);
}

struct hp_digest hp_digester_end(const struct hp_digester *digester) {
    return from_hash(XXH3_128bits_digest(digester->state));
}

void hp_digester_done(struct hp_digester *digester) {
    XXH3_freeState(digester->state);
    digester->state = NULL;
}
