#include "base/strtab.h"

#include "base/hash.h"

#include <string.h>

void hp_strtab_done(struct hp_strtab *table) {
    hp_arena_done(&table->arena);
    hp_vec_done(&table->strings);
    free(table->slots);
    *table = (struct hp_strtab){0};
}

static uint32_t *find_slot(const struct hp_strtab *table, struct hp_span text) {
    size_t mask = table->slot_count - 1;
    size_t i = (size_t)hp_hash_bytes(text.at, text.size, hp_hash_key()) & mask;
    while (table->slots[i] && !hp_span_equal(table->strings.at[table->slots[i]], text)) {
        i = (i + 1) & mask;
    }
    return &table->slots[i];
}

static void grow_slots(struct hp_strtab *table) {
    size_t old_count = table->slot_count;
    uint32_t *old = table->slots;
    table->slot_count = old_count ? old_count * 2 : 64;
    table->slots = hp_alloc(table->slot_count * sizeof *table->slots);
    for (size_t i = 0; i < old_count; i++) {
        if (old[i]) {
            *find_slot(table, table->strings.at[old[i]]) = old[i];
        }
    }
    free(old);
}

hp_string hp_strtab_add(struct hp_strtab *table, struct hp_span text) {
    if (text.size == 0) {
        return (hp_string){0};
    }
    if (table->strings.count == 0) {
        hp_vec_push(&table->strings, ((struct hp_span){"", 0}));
    }
    if (table->strings.count * 2 >= table->slot_count) {
        grow_slots(table);
    }
    uint32_t *slot = find_slot(table, text);
    if (*slot == 0) {
        char *copy = hp_arena_alloc(&table->arena, text.size + 1, 1);
        memcpy(copy, text.at, text.size);
        *slot = (uint32_t)table->strings.count;
        hp_vec_push(&table->strings, ((struct hp_span){copy, text.size}));
    }
    return (hp_string){*slot};
}

struct hp_span hp_strtab_span(const struct hp_strtab *table, hp_string string) {
    return string.n ? table->strings.at[string.n] : (struct hp_span){"", 0};
}

const char *hp_strtab_text(const struct hp_strtab *table, hp_string string) {
    return hp_strtab_span(table, string).at;
}
