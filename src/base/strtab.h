// Interned strings: equal texts get equal numbers, so that comparing two strings of one
// table compares two integers.
#ifndef HP_BASE_STRTAB_H
#define HP_BASE_STRTAB_H

#include "base/hash.h"
#include "base/memory.h"
#include "base/span.h"
#include "base/vec.h"

#include <stdint.h>

// The number of a string in one table.  {0} is "".
typedef struct {
    uint32_t n;
} hp_string;

// A table of numbered strings, each of which is stored once.  {0} is empty.
struct hp_strtab {
    struct hp_arena arena;
    // Texts by their numbers, each followed by a NUL; [0] is ""
    HP_VEC(struct hp_span) strings;
    // Finds the number of a text.
    struct hp_index index;
};

// Free all strings; the table is then empty.
void hp_strtab_done(struct hp_strtab *table);
// Find or add a text and return its number.  The table keeps its own copy.
hp_string hp_strtab_add(struct hp_strtab *table, struct hp_span text);
// Make `copy` a table of the same texts with the same numbers.
void hp_strtab_copy(struct hp_strtab *copy, const struct hp_strtab *table);
// The text of a number; it lives as long as the table.
const char *hp_strtab_text(const struct hp_strtab *table, hp_string string);
struct hp_span hp_strtab_span(const struct hp_strtab *table, hp_string string);

#endif
