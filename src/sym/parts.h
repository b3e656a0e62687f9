// The sections of a unit's debug information as one ELF file, wherever their bytes lie.
#ifndef HP_SYM_PARTS_H
#define HP_SYM_PARTS_H

#include "sym/image.h"

enum hp_part {
    HP_PART_INFO,
    HP_PART_TYPES,
    HP_PART_ABBREV,
    HP_PART_STR,
    HP_PART_STR_OFFSETS,
    HP_PART_RNGLISTS,
    HP_PART_ADDR,
    HP_PARTS,
};

// Those that are empty are not there.
struct hp_parts {
    struct hp_span of[HP_PARTS];
};

// A file of them for libdw, of the kind that `image` is; its sections are called as in a program.
// It has no bytes of its own: these stay where they are until elf_end().  NULL without memory.
Elf *hp_parts_elf(const struct hp_parts *parts, const struct hp_image *image);

// Of a file of split units: its own, unpacked.
void hp_parts_of_split(struct hp_parts *parts, const struct hp_image *image);

#endif
