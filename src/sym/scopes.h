// Which function, and which calls inlined into it, an address belongs to.
#ifndef HP_SYM_SCOPES_H
#define HP_SYM_SCOPES_H

#include "base/vec.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

// A function, or an inlined call within `parent`.
struct hp_scope {
    Dwarf_Die die;
    uint32_t parent; // 0 for a function
    uint32_t name;   // the caller's
    bool inlined;
};

// An address and the innermost scope around it; 0 if there is none.
struct hp_place {
    uint64_t address;
    uint32_t scope;
};

struct hp_scopes {
    struct hp_place *places; // by address, `count` of them
    size_t count;
    HP_VEC(struct hp_scope) scopes; // [0] is none
    uint64_t budget;                // DIEs and ranges that may still be looked at
    size_t missing;                 // places without a scope
    int depth;
};

// Find the scopes of all places in the unit of `die`.  False if the budget ran out.
bool hp_scopes_walk(struct hp_scopes *scopes, Dwarf_Die *die);

#endif
