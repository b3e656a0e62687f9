// Packages of split debug information (.dwp): finds the parts of their sections that
// belong to a unit.
#ifndef HP_SYM_PACKAGE_H
#define HP_SYM_PACKAGE_H

#include "sym/image.h"

// --- parts -----------------------------------------------------------------------------
//
// The debug sections of one unit, wherever their bytes are, presented to libdw as one ELF
// file.

// The sections of a split unit that are read.
enum hp_package_part {
    HP_PART_INFO,
    HP_PART_TYPES,
    HP_PART_ABBREV,
    HP_PART_STR,
    HP_PART_STR_OFFSETS,
    HP_PART_RNGLISTS,
    HP_PART_ADDR,
    HP_PARTS,
};

// The sections of a unit by kind; an empty span is a missing section.
struct hp_parts {
    struct hp_span of[HP_PARTS];
};

// Make an ELF file of the parts, for the machine of `image`, with section names as in a
// program (without ".dwo").  The file points to the bytes of the parts, which must stay
// until elf_end().  Returns NULL if libelf fails, as without memory.
Elf *hp_parts_elf(const struct hp_parts *parts, const struct hp_image *image);

// Fill `parts` with the sections of a file of split units, unpacked.
void hp_parts_of_split(struct hp_parts *parts, const struct hp_image *image);

// --- package ---------------------------------------------------------------------------

// Reduce `parts`, the sections of the whole package, to those of the unit with that id.
// Strings are shared by all units and stay.  Returns false if `index`, the
// .debug_cu_index, has no such unit or refers outside a section.
bool hp_package_find(struct hp_span index, bool is_big_endian, uint64_t id,
                     struct hp_parts *parts);

#endif
