// Lists of the addresses that an entry of a split unit has.  libdw, which has not opened the unit's
// file itself, does not know from where they count.
#ifndef HP_SYM_RANGE_LIST_H
#define HP_SYM_RANGE_LIST_H

#include "base/span.h"

#include <elfutils/libdw.h>

// Those of a unit.
struct hp_range_lists {
    struct hp_span section; // with lists, from where they are counted; empty: libdw knows
    struct hp_span addresses; // of .debug_addr
    const unsigned char *end; // of what attributes are read from
    size_t version, address_size, offset_size;
    bool is_big_endian;
    uint64_t base; // the address that lists begin with
};

// Of a unit whose skeleton is another.
void hp_range_lists_of(struct hp_range_lists *lists, Dwarf_Die *unit, Dwarf_Die *skeleton,
                       struct hp_span addresses);

// As dwarf_ranges() does: `at` is 0, then what this returned; 0 at the end, -1 if the list is damaged.
ptrdiff_t hp_range_lists_next(const struct hp_range_lists *lists,
                              const Dwarf_Attribute *list, ptrdiff_t at, uint64_t *base,
                              uint64_t *low, uint64_t *high);

#endif
