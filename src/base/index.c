#include "base/index.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>

enum {
    FIRST_SLOTS = 256,
};

static void place(struct hp_index *index, struct hp_index_slot slot) {
    size_t mask = index->slot_count - 1, i = slot.hash & mask;
    while (index->slots[i].item) {
        i = (i + 1) & mask;
    }
    index->slots[i] = slot;
}

void hp_index_reserve(struct hp_index *index, size_t more) {
    struct hp_index old = *index;
    size_t least = (old.item_count + more) * 2;
    while (index->slot_count < least) {
        index->slot_count = index->slot_count ? index->slot_count * 2 : FIRST_SLOTS;
    }
    if (index->slot_count == old.slot_count) {
        return;
    }
    index->slots = hp_alloc(index->slot_count * sizeof *index->slots);
    for (size_t i = 0; i < old.slot_count; i++) {
        if (old.slots[i].item) {
            place(index, old.slots[i]);
        }
    }
    free(old.slots);
}

void hp_index_put(struct hp_index *index, uint32_t hash, size_t item) {
    hp_index_reserve(index, 1);
    place(index, (struct hp_index_slot){hash, (uint32_t)item + 1});
    index->item_count++;
}

uint32_t hp_index_find(struct hp_index *index, const void *items, size_t count,
                       size_t item_size, const void *key, size_t key_size) {
    uint32_t hash = (uint32_t)hp_hash_bytes(key, key_size, hp_hash_key()), item;
    for (size_t at = hash; hp_index_next(index, hash, &at, &item);) {
        if (memcmp((const char *)items + item * item_size, key, key_size) == 0) {
            return item;
        }
    }
    hp_index_put(index, hash, count);
    return (uint32_t)count;
}

void hp_index_drop(struct hp_index *index) {
    free(index->slots);
    *index = (struct hp_index){0};
}
