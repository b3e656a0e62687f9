#include "base/strtab.h"

#include <string.h>

void hp_strtab_done(struct hp_strtab *table) {
    hp_arena_done(&table->arena);
    hp_vec_done(&table->strings);
    hp_index_drop(&table->index);
    *table = (struct hp_strtab){0};
}

hp_string hp_strtab_add(struct hp_strtab *table, struct hp_span text) {
    uint32_t hash = (uint32_t)hp_hash_bytes(text.at, text.size, hp_hash_key()), found;
    if (text.size == 0) {
        return (hp_string){0};
    }
    for (size_t at = hash; hp_index_next(&table->index, hash, &at, &found);) {
        if (hp_span_equal(table->strings.at[found], text)) {
            return (hp_string){found};
        }
    }
    // Number 0 is reserved for "", which is never in the index.
    if (table->strings.count == 0) {
        hp_vec_push(&table->strings, ((struct hp_span){"", 0}));
    }
    hp_string added = {(uint32_t)table->strings.count};
    char *copy = hp_arena_alloc(&table->arena, text.size + 1, 1);
    memcpy(copy, text.at, text.size);
    hp_index_put(&table->index, hash, added.n);
    hp_vec_push(&table->strings, ((struct hp_span){copy, text.size}));
    return added;
}

void hp_strtab_copy(struct hp_strtab *copy, const struct hp_strtab *table) {
    *copy = (struct hp_strtab){0};
    for (size_t i = 1; i < table->strings.count; i++) {
        hp_strtab_add(copy, table->strings.at[i]);
    }
}

struct hp_span hp_strtab_span(const struct hp_strtab *table, hp_string string) {
    return string.n ? table->strings.at[string.n] : (struct hp_span){"", 0};
}

const char *hp_strtab_text(const struct hp_strtab *table, hp_string string) {
    return hp_strtab_span(table, string).at;
}
