// An entry of debugging information and its attributes: read here where the unit and the form are
// known, by libdw where they are not.  What libdw is asked for it is asked when it is needed.
#ifndef HP_SYM_ENTRY_H
#define HP_SYM_ENTRY_H

#include "sym/debug_info.h"

struct hp_entry {
    struct hp_dwarf_unit *unit; // that it is in; NULL: known to libdw alone
    const unsigned char *at;    // its first byte
    Dwarf_Die libdw;            // .addr is NULL until it is asked
};

struct hp_entry hp_entry_of_libdw(const Dwarf_Die *die);

// The entry for libdw; or NULL.
Dwarf_Die *hp_entry_for_libdw(struct hp_entry *entry);

// The entry of the unit that an entry is in.  False if there is none.
bool hp_entry_unit(struct hp_entry *entry, struct hp_entry *unit);
bool hp_entry_shares_unit(const struct hp_entry *a, const struct hp_entry *b);
void hp_entry_forms(const struct hp_entry *entry, struct hp_die_forms *forms);
// Of the file that it is in.
struct hp_span hp_entry_section(const struct hp_entry *entry,
                                enum hp_debug_section section);

// How it is laid out; NULL: known to libdw alone.
const struct hp_abbreviation *hp_entry_abbreviation(const struct hp_entry *entry);

// What a split unit and its skeleton are known by, or 0.
uint64_t hp_entry_split_id(struct hp_entry *unit);

// From where on what a unit has of a section lies in it, as an attribute says; `otherwise` if it says
// nothing that could be.
uint64_t hp_entry_base(struct hp_entry *unit, unsigned name, struct hp_span section,
                       uint64_t otherwise);

// The addresses that a unit has in .debug_addr: without an attribute, as libdw does, all.
struct hp_span hp_entry_addresses(struct hp_entry *unit);

unsigned hp_entry_tag(struct hp_entry *entry); // or 0

// Attributes by their names, of which the first counts.
bool hp_entry_has(struct hp_entry *entry, unsigned name);
bool hp_entry_number(struct hp_entry *entry, unsigned name, uint64_t *number);
bool hp_entry_offset(struct hp_entry *entry, unsigned name,
                     uint64_t *offset); // in a section
bool hp_entry_address(struct hp_entry *entry, unsigned name, uint64_t *address);
bool hp_entry_reference(struct hp_entry *entry, unsigned name, struct hp_entry *to);
const char *hp_entry_string(struct hp_entry *entry, unsigned name); // or NULL
// Its form, and its bytes to the end of the unit; false for constants of the abbreviation, too.
bool hp_entry_bytes(struct hp_entry *entry, unsigned name, uint64_t *form,
                    struct hp_span *bytes);

// What it is an instance of, or completes; may be put in its place.
bool hp_entry_origin(struct hp_entry *entry, struct hp_entry *origin);

// Of the entry or else of its origins.
const char *hp_entry_whole_string(struct hp_entry *entry, unsigned name);
bool hp_entry_whole_number(struct hp_entry *entry, unsigned name, uint64_t *number);

#endif
