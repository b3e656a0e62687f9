// A cursor over the entries (DIEs) of a unit, in one pass over the bytes where the forms
// are known, and by libdw where they are not.  A sibling must be after the entry, never
// before it.
#ifndef HP_SYM_DIE_CURSOR_H
#define HP_SYM_DIE_CURSOR_H

#include "sym/entry.h"

// --- range list ------------------------------------------------------------------------
//
// Lists of address ranges of entries (DW_AT_ranges).

// The lists of address ranges that the entries of a unit of debug information have.
struct hp_range_lists {
    struct hp_span section;   // the section with the lists
    struct hp_span addresses; // the unit's part of .debug_addr
    struct hp_die_forms forms;
    // Offset in `section` of the offset table for indexed lists; 0: unknown.
    uint64_t from;
    uint64_t base; // base address that a list begins with
};

// Prepare to read the lists of a unit.  `skeleton` is the unit with its addresses, or
// `unit` itself if it is not split; `addresses` is its part of .debug_addr.  The sections
// must outlive `lists`.
void hp_range_lists_of(struct hp_range_lists *lists, struct hp_entry *unit,
                       struct hp_entry *skeleton, struct hp_span addresses);

// Whether the entry has a list by index, but the offset table is unknown.  libdw must
// read it then.
bool hp_range_lists_lack(const struct hp_range_lists *lists, struct hp_entry *entry);

// Read the next range, as dwarf_ranges() does: `at` is 0 for the first range, then the
// previous result; `*base` must stay unchanged between the calls.  Sets `low` and `high`.
// Returns 0 at the end and -1 if the list is damaged.
ptrdiff_t hp_range_lists_next(const struct hp_range_lists *lists, struct hp_entry *entry,
                              ptrdiff_t at, uint64_t *base, uint64_t *low,
                              uint64_t *high);

// --- die cursor ------------------------------------------------------------------------

// The entry of debug information at the cursor.
struct hp_die {
    Dwarf_Die libdw; // the entry, if cursor->by_libdw is set
    // Otherwise: its first byte, and the byte after its attributes, where its children or
    // the next entry begin.
    const unsigned char *at, *past;
    const unsigned char *next; // its sibling; NULL: not known yet
    // The layout of the entry; NULL: this is the end of the siblings.
    const struct hp_abbreviation *abbreviation;
    uint64_t low, high; // addresses or indexes as the attributes have them
    // How many of these two were read: an entry that is cut off may lack them.
    unsigned found;
};

// A cursor over the entries of one unit of debug information.  {0} has no unit.
struct hp_die_cursor {
    struct hp_entry unit;
    struct hp_span addresses; // the unit's part of .debug_addr; empty: libdw finds it
    // First byte of the unit, and the byte after its last.
    const unsigned char *begin, *end;
    // The unit's lists of ranges.
    struct hp_range_lists lists;
    struct hp_die_forms forms;
    const struct hp_abbreviations *abbreviations; // NULL: libdw reads the entries
    // libdw reads the entries; the unit is in another file than its skeleton.
    bool by_libdw, is_split;
    uint64_t budget; // entries and ranges that may still be visited
    // Entries without children and addresses are skipped only if they end at or before
    // this byte; NULL: all of them are.
    const unsigned char *stop;
};

// Begin to visit the entries of a unit.  cursor->budget must be set and is reduced by the
// bytes of abbreviations that are read.  `skeleton` is the unit with the addresses of a
// split unit, or `unit` itself.
void hp_die_cursor_begin(struct hp_die_cursor *cursor, struct hp_entry *unit,
                         struct hp_entry *skeleton);

// Begin to visit only the unit's own entry.  Only the abbreviations up to that of this
// entry are read.
void hp_die_cursor_look(struct hp_die_cursor *cursor, struct hp_entry *unit);

// Take one step from the budget.  Returns false if the budget is used up.
static inline bool hp_die_spend(struct hp_die_cursor *cursor) {
    return cursor->budget > 0 && cursor->budget-- > 0;
}

// Read the first entry of the unit.
void hp_die_of_unit(const struct hp_die_cursor *cursor, struct hp_die *die);

// Read the first child of `parent`.  Returns false if it has none.  Entries without
// children and addresses are skipped up to cursor->stop, here and in hp_die_next().
bool hp_die_child(struct hp_die_cursor *cursor, struct hp_die *parent,
                  struct hp_die *child);

// Replace an entry by its next sibling.  Returns false after the last.
bool hp_die_next(struct hp_die_cursor *cursor, struct hp_die *die);

// Call after the last child of `parent`: remembers where the children end, so that
// hp_die_next() need not skip them again.
static inline void hp_die_leave(struct hp_die *parent, const struct hp_die *last) {
    if (!parent->next && !last->abbreviation) {
        parent->next = last->past;
    }
}

// The tag of an entry.
unsigned hp_die_tag(struct hp_die_cursor *cursor, struct hp_die *die);

// Read the next range of addresses of an entry, as dwarf_ranges() does, but also for
// split units, which libdw does not connect to their skeletons.
ptrdiff_t hp_die_range(struct hp_die_cursor *cursor, const struct hp_die *die,
                       ptrdiff_t at, uint64_t *base, uint64_t *low, uint64_t *high);

// The entry at the cursor as a struct hp_entry, which gives access to its attributes.
struct hp_entry hp_die_entry(const struct hp_die_cursor *cursor,
                             const struct hp_die *die);

#endif
