// Entries of debugging information, from one to the next, in one pass over the bytes of their unit
// where its forms are known, by libdw where they are not.  Siblings are looked for forwards only.
#ifndef HP_SYM_DIE_CURSOR_H
#define HP_SYM_DIE_CURSOR_H

#include "sym/range_list.h"

struct hp_die {
    Dwarf_Die libdw; // by libdw
    const unsigned char *at,
        *behind;               // else: its first byte, its children or the next entry
    const unsigned char *next; // its sibling, if that is known
    const struct hp_abbreviation *abbreviation;
    uint64_t low, high; // as its abbreviation says
    unsigned found;     // of these two: what is cut off may lack them
};

// {0} is one without a unit.
struct hp_die_cursor {
    struct hp_entry unit;
    struct hp_span addresses; // its own of .debug_addr; empty: libdw knows
    const unsigned char *begin, *end;
    struct hp_range_lists lists;
    struct hp_die_forms forms;
    const struct hp_abbreviations *abbreviations;
    bool by_libdw, is_split;
    uint64_t budget;           // entries and ranges that may still be looked at
    const unsigned char *stop; // this entry is not passed over; NULL: any may be
};

// Set out for the entries of a unit, which has a budget.  `skeleton` is that of a split one, which
// has its addresses, or the same.
void hp_die_cursor_begin(struct hp_die_cursor *cursor, struct hp_entry *unit,
                         struct hp_entry *skeleton);

// Set out for the unit's own entry alone: abbreviations are read no further than that takes.
void hp_die_cursor_look(struct hp_die_cursor *cursor, struct hp_entry *unit);

// Take something from the budget.
static inline bool hp_die_spend(struct hp_die_cursor *cursor) {
    return cursor->budget > 0 && cursor->budget-- > 0;
}

// The first entry of the unit.
void hp_die_of_unit(const struct hp_die_cursor *cursor, struct hp_die *die);

// The first child; false if there is none.  Those that have neither children nor addresses are
// passed over up to `stop`, here and by the next.
bool hp_die_child(struct hp_die_cursor *cursor, struct hp_die *parent,
                  struct hp_die *child);

// Go on to the next sibling.  False if this is the last.
bool hp_die_next(struct hp_die_cursor *cursor, struct hp_die *die);

// After the last of its children: no other way is needed to what is behind them.
static inline void hp_die_leave(struct hp_die *parent, const struct hp_die *last) {
    if (!parent->next && !last->abbreviation) {
        parent->next = last->behind;
    }
}

unsigned hp_die_tag(struct hp_die_cursor *cursor, struct hp_die *die);

// As dwarf_ranges() does; of split units too, which libdw has not put together.
ptrdiff_t hp_die_range(struct hp_die_cursor *cursor, const struct hp_die *die,
                       ptrdiff_t at, uint64_t *base, uint64_t *low, uint64_t *high);

// The same entry with its attributes.
struct hp_entry hp_die_entry(const struct hp_die_cursor *cursor,
                             const struct hp_die *die);

#endif
