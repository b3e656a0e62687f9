// Open addressing over an array whose items can tell their hash.
//
// Look an item up with
//     for (size_t i = hash & mask; index->slots[i]; i = (i + 1) & mask)
// mask being slot_count - 1; a slot holds the item's number + 1, and 0 is free.
#ifndef HP_BASE_INDEX_H
#define HP_BASE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
