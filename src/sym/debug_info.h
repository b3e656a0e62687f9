// The units of .debug_info and their tables of abbreviations.  Units and forms that are
// not known here are left to libdw, which reads a part of each unit before the one that
// it is asked for.
#ifndef HP_SYM_DEBUG_INFO_H
#define HP_SYM_DEBUG_INFO_H

#include "base/hash.h"
#include "base/span.h"
#include "base/vec.h"
#include "sym/dwarf_bytes.h"
#include "sym/image.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

// --- abbreviations ---------------------------------------------------------------------
//
// Abbreviations: how the entries of a unit are laid out.  Each is compiled into steps
// that skip or read the bytes of an entry.

// How an entry lists its own addresses.
enum hp_die_addresses {
    HP_ADDRESSES_NONE,
    HP_ADDRESSES_PAIR,    // first address and end, or first and size, read with the entry
    HP_ADDRESSES_INDEXED, // as HP_ADDRESSES_PAIR, the first as an index of .debug_addr
    HP_ADDRESSES_LIST,    // a list of ranges
    HP_ADDRESSES_FOREIGN, // a form that libdw has to read
};

// The action of a step on the value after the bytes that it has skipped.  A number with a
// `size` of 0 is a LEB128.
enum hp_die_action {
    HP_DIE_DONE,    // no value follows: this is the last step
    HP_DIE_LEB128,  // skip a LEB128
    HP_DIE_STRING,  // skip a string with its NUL
    HP_DIE_BLOCK,   // skip a block after its size, which has `size` bytes
    HP_DIE_SIBLING, // read the offset of the sibling in the unit
    HP_DIE_LOW,     // read the first address or its index
    HP_DIE_HIGH,    // read the address after the last
    HP_DIE_SIZE,    // read the number of addresses, instead of HP_DIE_HIGH
};

// A step over an entry: skip `skipped` bytes, then act on a value of `size` bytes.
struct hp_die_step {
    uint32_t skipped;
    uint8_t action, size;
};

// An abbreviation of DWARF: the layout of all entries that have its code.
struct hp_abbreviation {
    uint32_t tag; // 0: no abbreviation has this code
    // Index of its first step in hp_abbreviations.steps; its last step is HP_DIE_DONE.
    uint32_t first_step;
    // Offset from hp_abbreviations.at of the declaration of its attributes.
    uint32_t declared;
    uint32_t names; // HP_NAME_BIT() of each of its attributes
    // Size in bytes of each entry with this abbreviation, including the code; 0: the size
    // varies, or the entries have a sibling attribute.
    uint32_t fixed;
    // Its entries have children; their high address is given as a size.
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
    uint64_t size;        // bytes of the table that were read
    bool is_whole;        // the table was read to its end, or as far as it is known
    bool is_known;        // all abbreviations that were read have known forms
    HP_VEC(struct hp_abbreviation) by_code;
    HP_VEC(struct hp_die_step) steps;
};

// Prepare to read the table at `offset` of .debug_abbrev.  The section must outlive the
// table.
void hp_abbreviations_begin(struct hp_abbreviations *abbreviations,
                            struct hp_span section, uint64_t offset,
                            const struct hp_die_forms *forms);

// Read until the abbreviation with this code (its number) is found.  Returns NULL if
// there is none before the end or before one with an unknown form.
const struct hp_abbreviation *hp_abbreviations_reach(
    struct hp_abbreviations *abbreviations, uint64_t code);

// Read the whole table.  Returns false if a form is unknown, or the table is too large or
// contradicts itself.
bool hp_abbreviations_finish(struct hp_abbreviations *abbreviations);

// Free the memory of a table.
void hp_abbreviations_done(struct hp_abbreviations *abbreviations);

// Set `size` to the bytes of a value with this form.  Returns false, with 0, if the size
// varies or the form is unknown.
bool hp_form_size(const struct hp_die_forms *forms, uint64_t form, unsigned *size);

// Whether a value of this form is an index into the section .debug_addr, not an address.
bool hp_form_is_address_index(uint64_t form);

// Move `in` past a value of this form.  Returns false if the form is unknown or the value
// is cut off.
bool hp_form_pass(const struct hp_die_forms *forms, uint64_t form,
                  struct hp_dwarf_bytes *in);

// --- debug info ------------------------------------------------------------------------

// Set by tests: read every unit by libdw.
extern bool hp_dies_by_libdw;

// A unit of debug information, read from its header.
struct hp_dwarf_unit {
    struct hp_debug_info *info; // the debug sections of its file
    struct hp_die_forms forms;
    const unsigned char *begin, *entry, *end; // its header, its first entry, its end
    uint64_t abbreviations;                   // offset of its table in .debug_abbrev
    uint64_t id;                    // id of a split unit or of a type; 0 before DWARF 5
    uint8_t type;                   // a DW_UT_ number; DW_UT_compile before DWARF 5
    struct hp_abbreviations *table; // its abbreviations; NULL: not asked for yet
};

// The identity of a table of abbreviations.
struct hp_table_key {
    uint64_t offset, forms; // `forms` combines version and sizes
};

// The sections that entries refer to.
enum hp_debug_section {
    HP_DEBUG_INFO,
    HP_DEBUG_ABBREV,
    HP_DEBUG_STR,
    HP_DEBUG_LINE_STR,
    HP_DEBUG_STR_OFFSETS,
    HP_DEBUG_RANGES,
    HP_DEBUG_RNGLISTS,
    HP_DEBUG_ADDR,
    HP_DEBUG_SECTIONS,
};

const char *hp_debug_section_name(enum hp_debug_section section);

// The debug sections of one file, the units found so far, and their abbreviations.  {0}
// is empty.
struct hp_debug_info {
    struct hp_span of[HP_DEBUG_SECTIONS]; // sections by kind; empty if missing
    bool is_big_endian;
    HP_VEC(struct hp_dwarf_unit) units; // sorted by offset
    uint64_t listed; // bytes of .debug_info in which units were searched
    // The file, whose mapped pages may be dropped after use; NULL: they must stay.
    const struct hp_image *image;
    Dwarf *dwarf;    // libdw's view of the file, owned by the caller; or NULL
    uint64_t passed; // offset up to which libdw has read something of each unit
    size_t next;     // index of the first unit after `passed`

    HP_VEC(struct hp_abbreviations *) tables; // tables of abbreviations; owned
    struct hp_index index;                    // maps `keys` to `tables`
    HP_VEC(struct hp_table_key) keys;
    // Bytes of tables that are in memory, and bytes of tables that may still be read.
    uint64_t kept, work;
};

// Begin with the debug sections of `elf`, which must outlive `info`.  If hp_dies_by_libdw
// is set, no section is used, so that libdw reads every unit.  `image` may be NULL.
void hp_debug_info_begin(struct hp_debug_info *info, Elf *elf,
                         const struct hp_image *image);

// Read the header of the next unit and append it to info->units.  Returns NULL after the
// last one, and where one is damaged.  The result is valid until the next call.
struct hp_dwarf_unit *hp_debug_info_next(struct hp_debug_info *info);
// Free the units and tables.
void hp_debug_info_done(struct hp_debug_info *info);

// Set libdw's view of the file, NULL for none.  It stays the caller's.
void hp_debug_info_ask(struct hp_debug_info *info, Dwarf *dwarf);

// Drop the tables of abbreviations if they take much memory.  No entry may be in use.
void hp_debug_info_trim(struct hp_debug_info *info);

// Drop the pages of the mapped file from memory if many bytes were read since `*passed`,
// which is set to `offset` then.  `offset` is where the reader is in .debug_info.
void hp_debug_info_rest(const struct hp_debug_info *info, uint64_t *passed,
                        uint64_t offset);

// The unit that contains the byte at `offset` of .debug_info, or NULL.  Only units that
// hp_debug_info_next() has found are searched.
struct hp_dwarf_unit *hp_dwarf_unit_at(const struct hp_debug_info *info, uint64_t offset);

// Read all abbreviations of a unit.  Returns NULL if some have an unknown form, or
// info->work is used up.
const struct hp_abbreviations *hp_dwarf_unit_abbreviations(struct hp_dwarf_unit *unit);

// Read the abbreviation with that code.  Sets `declared` to the declaration of its
// attributes, with all bytes to the end of the section.  Returns NULL if the abbreviation
// is missing or has an unknown form, or info->work is used up.
const struct hp_abbreviation *hp_dwarf_unit_abbreviation(struct hp_dwarf_unit *unit,
                                                         uint64_t code,
                                                         struct hp_span *declared);

// Set `die` to libdw's view of the entry at the byte `at` of the unit.  Returns false if
// libdw finds no entry there.
bool hp_dwarf_unit_for_libdw(struct hp_dwarf_unit *unit, const unsigned char *at,
                             Dwarf_Die *die);

#endif
