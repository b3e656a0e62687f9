// Interned strings: equal text, equal number.
#ifndef HP_BASE_STRTAB_H
#define HP_BASE_STRTAB_H

#include "base/hash.h"
#include "base/memory.h"
#include "base/span.h"
#include "base/vec.h"

#include <stdint.h>

// A string of one table.  {0} is "".
typedef struct {
    uint32_t n;
} hp_string;

// {0} is an empty table.
struct hp_strtab {
    struct hp_arena arena;
    HP_VEC(struct hp_span) strings; // each followed by a NUL; [0] is ""
    struct hp_index index;
};

void hp_strtab_done(struct hp_strtab *table);
hp_string hp_strtab_add(struct hp_strtab *table, struct hp_span text);
const char *hp_strtab_text(const struct hp_strtab *table, hp_string string);
struct hp_span hp_strtab_span(const struct hp_strtab *table, hp_string string);

#endif
