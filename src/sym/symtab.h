// The functions of ELF symbol tables, by address.
#ifndef HP_SYM_SYMTAB_H
#define HP_SYM_SYMTAB_H

#include "sym/image.h"

struct hp_symbol {
    uint64_t start, end;
    uint64_t furthest; // the largest `end` of this symbol and all before it
    const char *name;  // in the image
    uint32_t rank;     // among those that start together the highest is meant
};

// {0} is empty.
struct hp_symtab {
    HP_VEC(struct hp_symbol) symbols; // by start, then rank
};

void hp_symtab_done(struct hp_symtab *table);

// Add the functions of .symtab and .dynsym, `shift` added to their addresses.  The image
// must outlive the table.
void hp_symtab_add(struct hp_symtab *table, const struct hp_image *image, uint64_t shift);

// Once after the last hp_symtab_add() and before the first look-up.
void hp_symtab_sort(struct hp_symtab *table);

// The function around `address`, or NULL.
const struct hp_symbol *hp_symtab_find(const struct hp_symtab *table, uint64_t address);

// Has no function a byte in [start, last]?
bool hp_symtab_is_free(const struct hp_symtab *table, uint64_t start, uint64_t last);

// All symbols that start at `address`, the best last; their number in `count`.
const struct hp_symbol *hp_symtab_at(const struct hp_symtab *table, uint64_t address,
                                     size_t *count);

#endif
