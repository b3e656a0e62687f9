// Which units of .debug_info may describe an address.
//
// From the ranges of the units' own DIEs: .debug_aranges is missing in what clang and lld
// write.  Ranges of several units may overlap, where the linker redirected those of
// discarded copies of a function to the copy it kept; then the first unit is right more
// often than not.
#ifndef HP_SYM_UNITINDEX_H
#define HP_SYM_UNITINDEX_H

#include "base/vec.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#define HP_NO_UNIT UINT32_MAX

struct hp_dwarf_unit {
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
    HP_VEC(struct hp_dwarf_unit) units; // by offset
    HP_VEC(struct hp_unit_range) ranges;
};

void hp_units_done(struct hp_units *units);

// Read all units there are; stops at the first that is damaged.
void hp_units_read(struct hp_units *units, Dwarf *dwarf);

// The first unit whose ranges hold `address` and that is not before `from`.
uint32_t hp_units_find(const struct hp_units *units, uint64_t address, uint32_t from);

#endif
