// The units of .debug_info and their tables of abbreviations.  Whatever is not known here
// is left to libdw, which reads a part of each unit before the one that it is asked for.
#ifndef HP_SYM_DEBUG_INFO_H
#define HP_SYM_DEBUG_INFO_H

#include "base/hash.h"
#include "sym/abbreviations.h"
#include "sym/image.h"

#include <elfutils/libdw.h>

// Set by tests: read every unit by libdw.
extern bool hp_dies_by_libdw;

// A unit, read from its header.
struct hp_dwarf_unit {
    struct hp_debug_info *info; // section that contains it
    struct hp_die_forms forms;
    const unsigned char *begin, *entry, *end; // its header, its first entry, its end
    uint64_t abbreviations;                   // offset of its table in .debug_abbrev
    uint64_t id;                    // id of a split unit or of a type; 0 before DWARF 5
    uint8_t type;                   // DW_UT_compile before DWARF 5
    struct hp_abbreviations *table; // NULL: not asked for yet
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
    HP_VEC(struct hp_dwarf_unit) units; // by offset
    uint64_t listed;                    // bytes of .debug_info that contain `units`
    const struct hp_image *image; // its memory may be dropped after use; NULL: never
    Dwarf *dwarf;    // libdw's view of the file, owned by the caller; or NULL
    uint64_t passed; // offset up to which libdw has read something of each unit
    size_t next;     // index of the first unit after `passed`

    HP_VEC(struct hp_abbreviations *) tables; // tables that were begun; owned
    struct hp_index index;                    // maps `keys` to `tables`
    HP_VEC(struct hp_table_key) keys;
    // Bytes of tables that are in memory, and bytes that may still be read.
    uint64_t kept, work;
};

// Begin with the sections of `elf`, which must outlive `info`.  Tests that ask libdw get
// no sections.  `image` may be NULL.
void hp_debug_info_begin(struct hp_debug_info *info, Elf *elf,
                         const struct hp_image *image);

// Find the next unit.  Returns NULL after the last one, and where one is damaged.  The
// result is valid until the next call.
struct hp_dwarf_unit *hp_debug_info_next(struct hp_debug_info *info);
// Free the units and tables.
void hp_debug_info_done(struct hp_debug_info *info);

// Use this Dwarf from now on, or none (NULL).
void hp_debug_info_ask(struct hp_debug_info *info, Dwarf *dwarf);

// Drop the tables of abbreviations if they take much memory.  No entry may be in use.
void hp_debug_info_trim(struct hp_debug_info *info);

// Drop the mapped file from memory if many bytes were read since `*passed`, which is set
// to `offset` then.  `offset` is where the reader is in .debug_info.
void hp_debug_info_rest(const struct hp_debug_info *info, uint64_t *passed,
                        uint64_t offset);

// The unit that contains a byte of .debug_info, or NULL.  Only units that
// hp_debug_info_next() has found are searched.
struct hp_dwarf_unit *hp_dwarf_unit_at(const struct hp_debug_info *info, uint64_t offset);

// Read all abbreviations of a unit.  Returns NULL if some are of an unknown form, or that
// would be too much work.
const struct hp_abbreviations *hp_dwarf_unit_abbreviations(struct hp_dwarf_unit *unit);

// Read the abbreviation with that code.  `declared` is where its attributes are declared,
// up to the end of the section.  Returns NULL if it is missing or unknown, or that would
// be too much work.
const struct hp_abbreviation *hp_dwarf_unit_abbreviation(struct hp_dwarf_unit *unit,
                                                         uint64_t code,
                                                         struct hp_span *declared);

// Make the libdw view of the entry at `at`.  Returns false if libdw finds none there.
bool hp_dwarf_unit_for_libdw(struct hp_dwarf_unit *unit, const unsigned char *at,
                             Dwarf_Die *die);

#endif
