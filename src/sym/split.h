// Split DWARF: units whose functions are in a file of their own (.dwo), which libdw looks
// for and opens by itself.
#ifndef HP_SYM_SPLIT_H
#define HP_SYM_SPLIT_H

#include "sym/image.h"
#include "sym/protocol.h"

#include <elfutils/libdw.h>

// From now on: calls of libdw that look for files.
void hp_split_answer_libdw(void);

struct hp_split {
    struct hp_file_requester *requester;
    const struct hp_image *image; // with the units that say where the others are
    bool missing;                 // some file was not found
    bool has_package;             // there is a .dwp
    int package;                  // it, open; -1 if it was taken or there is none
    bool has_asked;               // for it, since libdw was begun anew
};

// As long as anything of the image is looked up.
void hp_split_init(struct hp_split *split, struct hp_file_requester *requester,
                   const struct hp_image *image);
void hp_split_done(struct hp_split *split);

// The DIE whose children are the functions of the unit of `die`: `die` itself, if it is not
// split or its file is missing.  True if it is another.
bool hp_split_find(struct hp_split *split, Dwarf_Die *die, Dwarf_Die *content);

#endif
