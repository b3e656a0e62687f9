// Split DWARF: units whose functions are in a file of their own (.dwo), or in a file with
// those of a whole program (.dwp).
#ifndef HP_SYM_SPLIT_H
#define HP_SYM_SPLIT_H

#include "base/vec.h"
#include "sym/entry.h"
#include "sym/protocol.h"

// The open files of a split unit.
struct hp_split_unit {
    struct hp_image image; // its .dwo file; {0} if it is in a package
    // A file in memory with the unit's parts (see package.h), and libdw's view of it.
    Elf *elf;
    Dwarf *dwarf;
    // Units of that file; owned.
    struct hp_debug_info *info;
    // The first entry of the unit.
    struct hp_entry entry;
    // Bytes of the unit's .debug_info.
    uint64_t size;
};

// The split units of one file.
struct hp_split {
    struct hp_file_requester *requester;
    // The file with the skeletons, which say where the split units are.
    const struct hp_image *image;
    // The opened .dwp, or {0}.
    struct hp_image package;
    HP_VEC(struct hp_split_unit) units; // opened since the last hp_split_clear()
    bool has_asked;                     // the package was asked for
    // A package exists.
    bool has_package;
    bool missing;                  // some unit was not found
    struct hp_sym_diagnostic flaw; // reason for a file that exists but cannot be read
};

// Begin with an image, which must outlive `split`.
void hp_split_init(struct hp_split *split, struct hp_file_requester *requester,
                   const struct hp_image *image);
void hp_split_done(struct hp_split *split);

// Close the files of units.  No entry of these units may be in use any more.
void hp_split_clear(struct hp_split *split);

// Find the entry whose children are the functions of `unit`: that of its split unit, or
// `unit` itself if it is not split or the file is missing.  Returns the cost of the split
// unit as bytes of .debug_info; 0 if there is none.
uint64_t hp_split_find(struct hp_split *split, struct hp_entry *unit,
                       struct hp_entry *content);

#endif
