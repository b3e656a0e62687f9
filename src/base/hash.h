// Hashing: fast, and keyed once per process, so that an input cannot be made to collide
// on purpose.  Hashes differ between processes: nothing that is printed may depend on
// one.
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

// Load eight bytes from an address of any alignment, in the byte order of the machine.
static inline uint64_t hp_load8(const void *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

extern _Atomic uint64_t hp_process_key; // random key of this process; 0 until it is drawn
// Draw the key once, whichever thread asks first, and return it.
uint64_t hp_hash_draw_key(void);

// Return the key of this process, drawn at the first call.
static inline uint64_t hp_hash_key(void) {
    uint64_t key = atomic_load_explicit(&hp_process_key, memory_order_relaxed);
    return key ? key : hp_hash_draw_key();
}

// Multiply to 128 bits and combine the two halves by XOR: one good mixing step.
static inline uint64_t hp_hash_mix(uint64_t a, uint64_t b) {
    hp_uint128 product = (hp_uint128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

// Hash `size` bytes with a key.  Tables use hp_hash_key(), so that the result is the same
// within this process only.
uint64_t hp_hash_bytes(const void *bytes, size_t size, uint64_t key);

// --- an index -----------------------------------------------------------------------------

// An open-addressing index over an array: it stores the hashes of items and their
// numbers, not the items.
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
    uint32_t *slots;   // numbers of items, + 1; 0: the slot is free
    size_t slot_count; // a power of two, or 0
    // Hash of each item, by its number, with HP_INDEX_KEYED set; 0: the item is in no
    // slot.
    HP_VEC(uint32_t) hashes;
};

// The bit that is set in each stored hash.  A stored 0 therefore means that the item is
// in no slot.
#define HP_INDEX_KEYED (UINT32_C(1) << 31)

// Make room for `more` further items, so that adding them does not rebuild the slots.
void hp_index_reserve(struct hp_index *index, size_t more);

// Free the index; it is then empty.
void hp_index_drop(struct hp_index *index);

// Put an item whose hash is already stored into a free slot; used by hp_index_put().
static inline void hp_index_place(struct hp_index *index, uint32_t item) {
    size_t mask = index->slot_count - 1, i = index->hashes.at[item] & mask;
    while (index->slots[i]) {
        i = (i + 1) & mask;
    }
    index->slots[i] = item + 1;
}

// Add item number `item` under `hash`.  Items must be added in ascending order of their
// numbers; items whose numbers are skipped are never found.
static inline void hp_index_put(struct hp_index *index, uint32_t hash, size_t item) {
    if ((item + 1) * 2 > index->slot_count) {
        hp_index_reserve(index, item + 1 - index->hashes.count);
    }
    while (index->hashes.count < item) {
        hp_vec_push(&index->hashes, 0); // a skipped item, which cannot be found
    }
    hp_vec_push(&index->hashes, hash | HP_INDEX_KEYED);
    hp_index_place(index, (uint32_t)item);
}

// Find the next item with this hash and store its number in *item; false if there is
// none.  The caller must compare the item itself, since different items can have equal
// hashes.  *at must be the hash before the first call, and is the position of the search
// afterwards.
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

// Fetch the slot of a hash into the cache, before it is searched.
HP_PREFETCHES void hp_index_prefetch(const struct hp_index *index, uint32_t hash) {
    if (index->slot_count > 0) {
        __builtin_prefetch(&index->slots[hash & (index->slot_count - 1)]);
    }
}

// Return the number of the item whose first `key_size` bytes equal `key`.  If there is
// none, return `count` and enter the key under that number: the caller must append this
// item next.
uint32_t hp_index_find(struct hp_index *index, const void *items, size_t count,
                       size_t item_size, const void *key, size_t key_size);

// Call hp_index_find() for the items of a vector.
#define hp_index_of(index, vec, key, key_size) \
    hp_index_find(index, (vec)->at, (vec)->count, sizeof *(vec)->at, key, key_size)

#endif
