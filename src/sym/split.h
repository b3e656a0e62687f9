// Split DWARF: units whose functions are in a file of their own (.dwo), or in one with those of a whole
// program (.dwp).
#ifndef HP_SYM_SPLIT_H
#define HP_SYM_SPLIT_H

#include "base/vec.h"
#include "sym/entry.h"
#include "sym/protocol.h"

// What is open of a unit.
struct hp_split_unit {
    struct hp_image image; // its file; {0} of a package
    Elf *elf;
    Dwarf *dwarf;
    struct hp_debug_info *info;
    struct hp_entry entry;
    uint64_t size;
};

struct hp_split {
    struct hp_file_requester *requester;
    const struct hp_image *image; // with the units that say where the others are
    struct hp_image package;
    HP_VEC(struct hp_split_unit) units; // since they were cleared
    bool has_asked;                     // for the package
    bool has_package;
    bool missing;                  // some unit was not found
    struct hp_sym_diagnostic flaw; // of a file that is there but cannot be read
};

// As long as anything of the image is looked up.
void hp_split_init(struct hp_split *split, struct hp_file_requester *requester,
                   const struct hp_image *image);
void hp_split_done(struct hp_split *split);

// Close the files of units.  Nothing of them may be in use any more.
void hp_split_clear(struct hp_split *split);

// The entry whose children are the functions of a unit: its own, if it is not split or its file is
// missing.  The number of bytes of the other unit; 0 if it is none.
uint64_t hp_split_find(struct hp_split *split, struct hp_entry *unit,
                       struct hp_entry *content);

#endif
