// The scopes around a DIE: namespaces, classes, functions.  libdw keeps no parents, so
// those of many DIEs are found together, by one walk down each unit.
#ifndef HP_SYM_PARENTS_H
#define HP_SYM_PARENTS_H

#include "base/strtab.h"

#include <elfutils/libdw.h>

struct hp_want {
    void *unit;
    Dwarf_Off offset;
    Dwarf_Die die;
    hp_string *name; // to be prefixed
};

// {0} but for `strings` wants nothing.
struct hp_parents {
    struct hp_strtab *strings;
    HP_VEC(struct hp_want) wants;
    uint64_t budget; // DIEs that may still be looked at
};

void hp_parents_done(struct hp_parents *parents);

// Have the names of the scopes around `die` put in front of `name`.
void hp_parents_want(struct hp_parents *parents, Dwarf_Die *die, hp_string *name);
void hp_parents_find(struct hp_parents *parents);

#endif
