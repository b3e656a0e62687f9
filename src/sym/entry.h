// An entry of debug information (DIE) and its attributes.  They are read here if the unit
// and the form are known, and by libdw if not.  libdw is asked only when that is needed.
#ifndef HP_SYM_ENTRY_H
#define HP_SYM_ENTRY_H

#include "sym/debug_info.h"

// An entry of some unit of debug information.
struct hp_entry {
    // The unit that contains it; NULL: only libdw knows the entry.
    struct hp_dwarf_unit *unit;
    const unsigned char *at; // its first byte
    Dwarf_Die libdw;         // .addr is NULL until libdw was asked
};

// Make an entry that only libdw knows.
struct hp_entry hp_entry_of_libdw(const Dwarf_Die *die);

// The libdw view of an entry; NULL if libdw finds none.
Dwarf_Die *hp_entry_for_libdw(struct hp_entry *entry);

// Find the first entry of the unit that contains `entry`.  Returns false if there is
// none.
bool hp_entry_unit(struct hp_entry *entry, struct hp_entry *unit);
// Whether two entries are in the same unit.
bool hp_entry_shares_unit(const struct hp_entry *a, const struct hp_entry *b);
// Set `forms` to the version, sizes and byte order of the entry's unit.
void hp_entry_forms(const struct hp_entry *entry, struct hp_die_forms *forms);
// The content of a debug section of the file with the entry; empty if it is missing.
struct hp_span hp_entry_section(const struct hp_entry *entry,
                                enum hp_debug_section section);

// The abbreviation of an entry; NULL: only libdw knows it.
const struct hp_abbreviation *hp_entry_abbreviation(const struct hp_entry *entry);

// The id that a split unit and its skeleton share, or 0.
uint64_t hp_entry_split_id(struct hp_entry *unit);

// Return the offset in `section` where the data of a unit begin, from the attribute
// `name` of the unit; `otherwise` if the attribute is missing or out of range.
uint64_t hp_entry_base(struct hp_entry *unit, unsigned name, struct hp_span section,
                       uint64_t otherwise);

// The part of .debug_addr that belongs to a unit; the whole section if no attribute says
// where it begins, as in libdw.
struct hp_span hp_entry_addresses(struct hp_entry *unit);

// The tag of an entry; 0 if it cannot be read.
unsigned hp_entry_tag(struct hp_entry *entry);

// Values of attributes by name.  Of several attributes with one name the first is used.
// The functions return false if the attribute is missing or of another kind;
// hp_entry_offset() reads an offset in a section.
bool hp_entry_has(struct hp_entry *entry, unsigned name);
bool hp_entry_number(struct hp_entry *entry, unsigned name, uint64_t *number);
bool hp_entry_offset(struct hp_entry *entry, unsigned name, uint64_t *offset);
bool hp_entry_address(struct hp_entry *entry, unsigned name, uint64_t *address);
bool hp_entry_reference(struct hp_entry *entry, unsigned name, struct hp_entry *to);
// A string, which points into the file; NULL if the attribute is missing.
const char *hp_entry_string(struct hp_entry *entry, unsigned name);
// The form of an attribute, and the bytes from its value to the end of the unit.  False
// also for a constant in the abbreviation.
bool hp_entry_bytes(struct hp_entry *entry, unsigned name, uint64_t *form,
                    struct hp_span *bytes);

// Find the entry that this one is an instance of, or completes.  Returns false, with
// `origin` unchanged, if there is none.  `origin` may be `entry`.
bool hp_entry_origin(struct hp_entry *entry, struct hp_entry *origin);

// The value of an attribute, as by hp_entry_string() or hp_entry_number(), from the entry
// itself or else from the first of its origins that has the attribute.
const char *hp_entry_whole_string(struct hp_entry *entry, unsigned name);
bool hp_entry_whole_number(struct hp_entry *entry, unsigned name, uint64_t *number);

#endif
