// Lists of address ranges of entries (DW_AT_ranges).
#ifndef HP_SYM_RANGE_LIST_H
#define HP_SYM_RANGE_LIST_H

#include "sym/entry.h"

// The range lists of a unit.
struct hp_range_lists {
    struct hp_span section;   // the section with the lists
    struct hp_span addresses; // the unit's part of .debug_addr
    struct hp_die_forms forms;
    // Offset in `section` of the offset table for indexed lists; 0: unknown.
    uint64_t from;
    uint64_t base; // base address that a list begins with
};

// Prepare to read the lists of a unit.  `skeleton` is the unit with its addresses, or
// `unit` itself if it is not split.  The sections must outlive `lists`.
void hp_range_lists_of(struct hp_range_lists *lists, struct hp_entry *unit,
                       struct hp_entry *skeleton, struct hp_span addresses);

// Whether the entry has a list by index, but the offset table is unknown.  libdw must
// read it then.
bool hp_range_lists_lack(const struct hp_range_lists *lists, struct hp_entry *entry);

// Read the next range, as dwarf_ranges() does: `at` is 0 for the first range, then the
// previous result.  Returns 0 at the end and -1 if the list is damaged.
ptrdiff_t hp_range_lists_next(const struct hp_range_lists *lists, struct hp_entry *entry,
                              ptrdiff_t at, uint64_t *base, uint64_t *low,
                              uint64_t *high);

#endif
