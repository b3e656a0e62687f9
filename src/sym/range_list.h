// Lists of the addresses that an entry has.
#ifndef HP_SYM_RANGE_LIST_H
#define HP_SYM_RANGE_LIST_H

#include "sym/entry.h"

// Those of a unit.
struct hp_range_lists {
    struct hp_span section;   // with lists
    struct hp_span addresses; // of .debug_addr
    struct hp_die_forms forms;
    uint64_t from; // where in the section those with a number are; 0: it is not told
    uint64_t base; // the address that lists begin with
};

// Of a unit that is its own skeleton where it is not split.
void hp_range_lists_of(struct hp_range_lists *lists, struct hp_entry *unit,
                       struct hp_entry *skeleton, struct hp_span addresses);

// Has the entry one with a number, and is it not told where those are?
bool hp_range_lists_lack(const struct hp_range_lists *lists, struct hp_entry *entry);

// As dwarf_ranges() does: `at` is 0, then what this returned; 0 at the end, -1 if the list is damaged.
ptrdiff_t hp_range_lists_next(const struct hp_range_lists *lists, struct hp_entry *entry,
                              ptrdiff_t at, uint64_t *base, uint64_t *low,
                              uint64_t *high);

#endif
