// Open addressing over an array whose items can tell their hash.
//
// Look an item up with
//     for (size_t i = hash & mask; index->slots[i]; i = (i + 1) & mask)
// mask being slot_count - 1; a slot holds the item's number + 1, and 0 is free.
#ifndef HP_BASE_INDEX_H
#define HP_BASE_INDEX_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// {0} is empty, and full: widen it first.
struct hp_index {
    uint32_t *slots;
    size_t slot_count; // a power of two, or 0
};

// Too full for one more than `items`.
bool hp_index_is_full(const struct hp_index *index, size_t items);

// Make twice the slots or more, enough for `items` and one more; all are free then, and
// every item must be placed again.
void hp_index_widen(struct hp_index *index, size_t items);

void hp_index_place(struct hp_index *index, uint32_t hash, uint32_t item);
void hp_index_drop(struct hp_index *index);

// The number of the item that begins with the bytes of a key; `count` if there is none: the next
// that is added has to be it.
static inline uint32_t hp_index_find(struct hp_index *index, const void *items,
                                     size_t count, size_t item_size, const void *key,
                                     size_t key_size) {
    const char *first = items;
    if (hp_index_is_full(index, count)) {
        hp_index_widen(index, count);
        for (uint32_t i = 0; i < count; i++) {
            uint64_t hash = hp_hash_bytes(first + i * item_size, key_size, hp_hash_key());
            hp_index_place(index, (uint32_t)hash, i);
        }
    }
    size_t mask = index->slot_count - 1;
    size_t i = (uint32_t)hp_hash_bytes(key, key_size, hp_hash_key()) & mask;
    for (; index->slots[i]; i = (i + 1) & mask) {
        uint32_t number = index->slots[i] - 1;
        if (memcmp(first + number * item_size, key, key_size) == 0) {
            return number;
        }
    }
    index->slots[i] = (uint32_t)count + 1;
    return (uint32_t)count;
}

#define hp_index_of(index, vec, key, key_size) \
    hp_index_find(index, (vec)->at, (vec)->count, sizeof *(vec)->at, key, key_size)

#endif
