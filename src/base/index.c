#include "base/index.h"

#include "base/memory.h"

#include <stdlib.h>

bool hp_index_is_full(const struct hp_index *index, size_t items) {
    return items * 2 >= index->slot_count;
}

void hp_index_place(struct hp_index *index, uint32_t hash, uint32_t item) {
    size_t mask = index->slot_count - 1, i = hash & mask;
    while (index->slots[i]) {
        i = (i + 1) & mask;
    }
    index->slots[i] = item + 1;
}

void hp_index_widen(struct hp_index *index, size_t items) {
    do {
        index->slot_count = index->slot_count ? index->slot_count * 2 : 256;
    } while (hp_index_is_full(index, items));
    free(index->slots);
    index->slots = hp_alloc(index->slot_count * sizeof *index->slots);
}

void hp_index_drop(struct hp_index *index) {
    free(index->slots);
    *index = (struct hp_index){0};
}
