// Hashing: fast, and keyed once per process so that no input can be made to collide on
// purpose.  Nothing that is printed may depend on a hash.
#ifndef HP_BASE_HASH_H
#define HP_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 hp_uint128;
__extension__ typedef __int128 hp_int128;

static inline uint64_t hp_load8(const void *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

// The key of this process.
uint64_t hp_hash_key(void);

// Both halves of a 64 x 64 bit product, folded: one good mixing step.
static inline uint64_t hp_hash_mix(uint64_t a, uint64_t b) {
    hp_uint128 product = (hp_uint128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t hp_hash_bytes(const void *bytes, size_t size, uint64_t key);

#endif
