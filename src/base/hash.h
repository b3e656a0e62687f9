// Hashing: fast, and keyed once per process so that no input can be made to collide on
// purpose.  Nothing that is printed may depend on a hash.
#ifndef HP_BASE_HASH_H
#define HP_BASE_HASH_H

#include "base/vec.h"

#include <stdatomic.h>
#include <stdbool.h>
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

extern _Atomic uint64_t hp_process_key; // 0: not drawn yet
uint64_t hp_hash_draw_key(void);

// The key of this process.
static inline uint64_t hp_hash_key(void) {
    uint64_t key = atomic_load_explicit(&hp_process_key, memory_order_relaxed);
    return key ? key : hp_hash_draw_key();
}

// Both halves of a 64 x 64 bit product, folded: one good mixing step.
static inline uint64_t hp_hash_mix(uint64_t a, uint64_t b) {
    hp_uint128 product = (hp_uint128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t hp_hash_bytes(const void *bytes, size_t size, uint64_t key);

// --- an index -----------------------------------------------------------------------------

// Open addressing over an array: the hashes of its items and their numbers.
//
// Find an item, or add it, with
//
//     for (size_t at = hash; hp_index_next(index, hash, &at, &item);) {
//         if (it is items.at[item]) {
//             return item;
//         }
//     }
//     hp_index_put(index, hash, items.count);
//
// {0} is empty.
struct hp_index {
    uint32_t *slots;         // numbers of items, + 1; 0 is free
    size_t slot_count;       // a power of two, or 0
    HP_VEC(uint32_t) hashes; // of each item, with HP_INDEX_KEYED; 0: it is in no slot
};

#define HP_INDEX_KEYED (UINT32_C(1) << 31)

// Make room for as many more items.
void hp_index_reserve(struct hp_index *index, size_t more);

void hp_index_drop(struct hp_index *index);

// An item whose hash is known, into a slot; for hp_index_put().
static inline void hp_index_place(struct hp_index *index, uint32_t item) {
    size_t mask = index->slot_count - 1, i = index->hashes.at[item] & mask;
    while (index->slots[i]) {
        i = (i + 1) & mask;
    }
    index->slots[i] = item + 1;
}

static inline void hp_index_put(struct hp_index *index, uint32_t hash, size_t item) {
    if ((item + 1) * 2 > index->slot_count) {
        hp_index_reserve(index, item + 1 - index->hashes.count);
    }
    while (index->hashes.count < item) {
        hp_vec_push(&index->hashes, 0); // of those that nobody looks for
    }
    hp_vec_push(&index->hashes, hash | HP_INDEX_KEYED);
    hp_index_place(index, (uint32_t)item);
}

// The next item of this hash, false if there is none; *at is the hash at first.
static inline bool hp_index_next(const struct hp_index *index, uint32_t hash, size_t *at,
                                 uint32_t *item) {
    while (index->slot_count > 0) {
        *item = index->slots[(*at)++ & (index->slot_count - 1)] - 1;
        if (*item == UINT32_MAX || index->hashes.at[*item] == (hash | HP_INDEX_KEYED)) {
            return *item != UINT32_MAX;
        }
    }
    return false;
}

// A hash will be asked for soon.
HP_PREFETCHES void hp_index_prefetch(const struct hp_index *index, uint32_t hash) {
    if (index->slot_count > 0) {
        __builtin_prefetch(&index->slots[hash & (index->slot_count - 1)]);
    }
}

// The number of the item that begins with the bytes of a key; `count` if there is none: the next
// that is added has to be it.
uint32_t hp_index_find(struct hp_index *index, const void *items, size_t count,
                       size_t item_size, const void *key, size_t key_size);

#define hp_index_of(index, vec, key, key_size) \
    hp_index_find(index, (vec)->at, (vec)->count, sizeof *(vec)->at, key, key_size)

#endif
