// The units of .debug_info, and how entries of each are laid out.  Of all that is not known here libdw
// is asked, which reads something of each unit before the one that it is asked for.
#ifndef HP_SYM_DEBUG_INFO_H
#define HP_SYM_DEBUG_INFO_H

#include "base/hash.h"
#include "sym/abbreviations.h"
#include "sym/image.h"

#include <elfutils/libdw.h>

// For tests: every unit by libdw.
extern bool hp_dies_by_libdw;

struct hp_dwarf_unit {
    struct hp_debug_info *info; // that it is in
    struct hp_die_forms forms;
    const unsigned char *begin, *entry, *end; // its head, its first entry
    uint64_t abbreviations;                   // where they begin
    uint64_t id;                    // of split units and of types; 0 before DWARF 5
    uint8_t type;                   // DW_UT_compile before DWARF 5
    struct hp_abbreviations *table; // NULL: has not been asked for
};

// What tells tables of abbreviations apart.
struct hp_table_key {
    uint64_t offset, forms;
};

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

// {0} is empty.
struct hp_debug_info {
    struct hp_span of[HP_DEBUG_SECTIONS];
    bool is_big_endian;
    HP_VEC(struct hp_dwarf_unit) units; // by place
    uint64_t listed;                    // bytes of the section that these are of
    const struct hp_image *image;       // whose memory may be given back; NULL: of none
    Dwarf *dwarf;                       // the caller's
    uint64_t passed;                    // it has read something of each unit up to here
    size_t next;                        // the first behind that

    HP_VEC(struct hp_abbreviations *) tables; // that were begun
    struct hp_index index;                    // of what tells them apart
    HP_VEC(struct hp_table_key) keys;
    uint64_t kept, work; // bytes of tables that were read, and that may still be
};

// Find sections; none for tests that ask libdw.
void hp_debug_info_begin(struct hp_debug_info *info, Elf *elf,
                         const struct hp_image *image);

// Find one more unit, until the next is; NULL behind the last, and where one is damaged.
struct hp_dwarf_unit *hp_debug_info_next(struct hp_debug_info *info);
void hp_debug_info_done(struct hp_debug_info *info);

// Another of libdw's from now on, or none.
void hp_debug_info_ask(struct hp_debug_info *info, Dwarf *dwarf);

// Abbreviations need not be kept now: nobody is in a unit.
void hp_debug_info_trim(struct hp_debug_info *info);

// Units were looked at up to an offset: give back what there is in memory of those behind *passed,
// which is where that was done last.
void hp_debug_info_rest(const struct hp_debug_info *info, uint64_t *passed,
                        uint64_t offset);

// The unit that holds a byte of the section; or NULL.
struct hp_dwarf_unit *hp_dwarf_unit_at(const struct hp_debug_info *info, uint64_t offset);

// All abbreviations of a unit; NULL if they are not known, or that is too much work.
const struct hp_abbreviations *hp_dwarf_unit_abbreviations(struct hp_dwarf_unit *unit);

// The one with that code, and where its attributes are declared; NULL for the same reasons.
const struct hp_abbreviation *hp_dwarf_unit_abbreviation(struct hp_dwarf_unit *unit,
                                                         uint64_t code,
                                                         struct hp_span *declared);

// The entry at a place of the unit for libdw.  False if it has none there.
bool hp_dwarf_unit_for_libdw(struct hp_dwarf_unit *unit, const unsigned char *at,
                             Dwarf_Die *die);

#endif
