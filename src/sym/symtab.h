// A table of the functions in ELF symbol tables, searched by address: add the tables of
// some images, sort once, then look up.
#ifndef HP_SYM_SYMTAB_H
#define HP_SYM_SYMTAB_H

#include "sym/image.h"

// A function or label with the addresses [start, end).
struct hp_symbol {
    uint64_t start, end;
    uint64_t furthest; // the largest `end` of this symbol and all before it
    const char *name;  // points into the image
    // The symbol with the highest rank of those with the same start is preferred.
    uint32_t rank;
};

// A table of functions; {0} is empty.  Ended by hp_symtab_done().
struct hp_symtab {
    HP_VEC(struct hp_symbol) symbols; // sorted by start, then by rank
};

void hp_symtab_done(struct hp_symtab *table);

// Add the functions of .symtab and .dynsym, with `shift` added to their addresses.  The
// image must outlive the table.
void hp_symtab_add(struct hp_symtab *table, const struct hp_image *image, uint64_t shift);

// Sort the table: once, after the last hp_symtab_add() and before the first look-up.
void hp_symtab_sort(struct hp_symtab *table);

// The function around `address`, or NULL.
const struct hp_symbol *hp_symtab_find(const struct hp_symtab *table, uint64_t address);

// Whether no function has a byte in [start, last].
bool hp_symtab_is_free(const struct hp_symtab *table, uint64_t start, uint64_t last);

// All symbols that start at `address`, the preferred one last; `count` is their number.
// The result points into the table.
const struct hp_symbol *hp_symtab_at(const struct hp_symtab *table, uint64_t address,
                                     size_t *count);

#endif
