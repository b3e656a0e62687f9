// Abbreviations: how the entries of a unit are laid out.  Each is compiled into steps
// that skip or read the bytes of an entry.
#ifndef HP_SYM_ABBREVIATIONS_H
#define HP_SYM_ABBREVIATIONS_H

#include "base/span.h"
#include "base/vec.h"
#include "sym/dwarf_bytes.h"

#include <stdbool.h>
#include <stdint.h>

// How an entry lists its own addresses.
enum hp_die_addresses {
    HP_ADDRESSES_NONE,
    HP_ADDRESSES_PAIR, // first and end, or first and size, which are read with the entry
    HP_ADDRESSES_INDEXED, // the same with the first as an index of .debug_addr
    HP_ADDRESSES_LIST,    // a list of ranges
    HP_ADDRESSES_FOREIGN, // a form that libdw has to read
};

// The action of a step.  A `size` of 0 means a LEB128.
enum hp_die_action {
    HP_DIE_DONE,
    HP_DIE_LEB128,
    HP_DIE_STRING,
    HP_DIE_BLOCK,   // a block after its size, which has `size` bytes
    HP_DIE_SIBLING, // offset of the sibling in the unit, which has `size` bytes
    HP_DIE_LOW,     // the first address or its index, which has `size` bytes
    HP_DIE_HIGH,    // the address after the last
    HP_DIE_SIZE,    // or the number of addresses
};

// Skip `skipped` bytes, then act.
struct hp_die_step {
    uint32_t skipped;
    uint8_t action, size;
};

// An abbreviation: the layout of entries with its code.
struct hp_abbreviation {
    uint32_t tag; // 0: no abbreviation has this code
    // Index of its steps, which end with HP_DIE_DONE.
    uint32_t first_step;
    // Offset from hp_abbreviations.at of the declaration of its attributes.
    uint32_t declared;
    uint32_t names; // HP_NAME_BIT() of each of its attributes
    // Bytes of each of its entries, with the code; 0: these vary, or have a sibling
    // attribute.
    uint32_t fixed;
    // Entries have children; the high address is a size.
    bool has_children, has_size;
    uint8_t addresses; // enum hp_die_addresses
};

// Properties of a unit that decide how forms are encoded.
struct hp_die_forms {
    unsigned version, offset_size, address_size;
    bool is_big_endian;
};

// Bit of an attribute name.  Several names share a bit, so a set bit proves nothing, but
// a clear one means that the attribute is missing.
#define HP_NAME_BIT(name) (UINT32_C(1) << (name) % 32)

// A table of abbreviations, read as far as needed.  {0} is empty.
struct hp_abbreviations {
    struct hp_die_forms forms;
    const char *at, *end; // start of the table, end of the section
    uint64_t size;        // bytes that were read
    bool is_whole;        // no more can be read
    bool is_known;        // every entry can be skipped, as far as the table was read
    HP_VEC(struct hp_abbreviation) by_code;
    HP_VEC(struct hp_die_step) steps;
};

// Prepare to read the table at `offset` of .debug_abbrev.  The section must outlive it.
void hp_abbreviations_begin(struct hp_abbreviations *abbreviations,
                            struct hp_span section, uint64_t offset,
                            const struct hp_die_forms *forms);

// Read until an abbreviation with this code is found.  Returns NULL if there is none
// before the end or before one with an unknown form.
const struct hp_abbreviation *hp_abbreviations_reach(
    struct hp_abbreviations *abbreviations, uint64_t code);

// Read the whole table.  Returns false if a form is unknown, or the table is too large or
// contradicts itself.
bool hp_abbreviations_finish(struct hp_abbreviations *abbreviations);

// Free the memory of a table.
void hp_abbreviations_done(struct hp_abbreviations *abbreviations);

// The size of values with this form.  Returns false, with size 0, if it varies or the
// form is unknown.
bool hp_form_size(const struct hp_die_forms *forms, uint64_t form, unsigned *size);

// Whether a value of this form is an index of .debug_addr.
bool hp_form_is_address_index(uint64_t form);

// Skip a value of this form.  Returns false if the form is unknown or the value is cut
// off.
bool hp_form_pass(const struct hp_die_forms *forms, uint64_t form,
                  struct hp_dwarf_bytes *in);

#endif
