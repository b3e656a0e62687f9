// Which units may describe an address, and in one of them which function, and which calls
// inlined into it, it belongs to.
#ifndef HP_SYM_SCOPES_H
#define HP_SYM_SCOPES_H

#include "sym/die_cursor.h"

#define HP_NO_UNIT UINT32_MAX

struct hp_listed_unit {
    Dwarf_Off die;   // offset in .debug_info of its DIE
    uint64_t size;   // to the next unit
    bool has_ranges; // if not, its line table may still say something (assembler)
};

struct hp_unit_range {
    uint64_t low, high;
    uint64_t furthest; // the largest `high` of this range and all before it
    uint32_t unit;
};

// {0} is empty.
struct hp_units {
    HP_VEC(struct hp_listed_unit) units; // by offset
    HP_VEC(struct hp_unit_range) ranges;
    size_t met; // ranges, of which some are kept
};

void hp_units_done(struct hp_units *units);

// Read all units there are; stops at the first that is damaged.  Of their ranges those
// are kept that may hold one of `count` addresses, which ascend.
void hp_units_read(struct hp_units *units, struct hp_debug_info *info,
                   const uint64_t *asked, size_t count);

// A range that holds `address`, of the first unit that has one and is not before `from`; or NULL.
const struct hp_unit_range *hp_units_find(const struct hp_units *units, uint64_t address,
                                          uint32_t from);

// A function, or an inlined call within `parent`.
struct hp_scope {
    struct hp_entry entry;
    uint64_t first;      // address
    uint32_t parent;     // 0 for a function
    uint32_t name;       // these are the caller's
    uint32_t file, line; // of the call, if it is inlined
    bool inlined;
};

// An address and the innermost scope around it; 0 if there is none.
struct hp_place {
    uint64_t address;
    uint32_t scope;
};

struct hp_scopes {
    HP_VEC(struct hp_place) places; // by address
    HP_VEC(struct hp_scope) scopes; // [0] is none
    struct hp_die_cursor cursor;    // with the budget
    size_t missing;                 // places without a scope
    int depth;
};

void hp_scopes_done(struct hp_scopes *scopes);

// Find the scopes of all places in a unit, which is its own skeleton where it is not split.  False if
// the budget ran out.
bool hp_scopes_walk(struct hp_scopes *scopes, struct hp_entry *unit,
                    struct hp_entry *skeleton);

#endif
