// Scopes of addresses: which DWARF units may describe an address, and which function of a
// unit and which inlined calls in it contain the address.
#ifndef HP_SYM_SCOPES_H
#define HP_SYM_SCOPES_H

#include "sym/die_cursor.h"

// No unit can describe the address.
#define HP_NO_UNIT UINT32_MAX

// A unit of debug information that has addresses or lines.
struct hp_listed_unit {
    Dwarf_Off die;   // offset of its DIE in .debug_info
    uint64_t size;   // bytes up to the next unit
    bool has_ranges; // if not, only its line table may cover addresses (assembler)
};

// A range of addresses [low, high) of a unit of debug information.
struct hp_unit_range {
    uint64_t low, high;
    uint64_t furthest; // the largest `high` of this range and all before it
    // Index in hp_units.units.
    uint32_t unit;
};

// The units of a file, and their ranges.  {0} is empty.
struct hp_units {
    HP_VEC(struct hp_listed_unit) units; // sorted by offset
    // Sorted by `low`, then in the order of units.
    HP_VEC(struct hp_unit_range) ranges;
    size_t met; // ranges that were read, also those that are not kept
};

void hp_units_done(struct hp_units *units);

// Read all units, up to the first that is damaged.  Keeps only ranges that may contain
// one of the `count` addresses in `asked`, which ascend.
void hp_units_read(struct hp_units *units, struct hp_debug_info *info,
                   const uint64_t *asked, size_t count);

// Find a range that contains `address`, of the first unit from `from` on that has one.
// Returns NULL if there is none.
const struct hp_unit_range *hp_units_find(const struct hp_units *units, uint64_t address,
                                          uint32_t from);

// A function, or an inlined call within `parent`.
struct hp_scope {
    struct hp_entry entry;
    uint64_t first;      // start of its first range of addresses
    uint32_t parent;     // index of the scope around it; 0 for a function
    uint32_t name;       // index in hp_names.names, set by the caller
    uint32_t file, line; // file number and line of the call if inlined, set by the caller
    bool inlined;        // an inlined call, not a function
};

// An address, and the innermost scope that contains it; 0 if none does.
struct hp_scope_place {
    uint64_t address;
    uint32_t scope; // index in hp_scopes.scopes
};

// The scopes of the addresses that are asked for in one unit.
struct hp_scopes {
    HP_VEC(struct hp_scope_place) places; // sorted by address; filled by the caller
    HP_VEC(struct hp_scope) scopes;       // [0] is unused
    struct hp_die_cursor cursor;          // the caller sets its budget
    size_t missing;                       // places without a scope
    // Depth of the current entry in the tree of the unit's entries.
    int depth;
};

void hp_scopes_done(struct hp_scopes *scopes);

// Find the scopes in a unit that contain places, and set the scope of each place.
// `skeleton` is the unit with its addresses, or `unit` itself if it is not split.
// Returns false if the budget ran out.
bool hp_scopes_walk(struct hp_scopes *scopes, struct hp_entry *unit,
                    struct hp_entry *skeleton);

#endif
