// Finding the debug information of a file, in the order of gdb and elfutils: in the file
// itself, by its build id, by its debug link.  Nothing is ever fetched from a network.
#ifndef HP_SYM_DEBUG_H
#define HP_SYM_DEBUG_H

#include "sym/image.h"
#include "sym/protocol.h"

#include <elfutils/libdw.h>

struct hp_debug {
    struct hp_image separate; // a debug file of its own, or {0}
    const struct hp_image
        *image;                // what has the DWARF: the file itself, that file, or NULL
    struct hp_image alt_image; // what several debug files share (dwz), or {0}
    Dwarf *alt;
    uint64_t shift; // an address in the program + shift is the one in the debug file
    struct hp_sym_diagnostic diagnostic; // why there is no DWARF; "" if none was promised
};

void hp_debug_find(struct hp_debug *debug, const struct hp_image *image,
                   struct hp_file_requester *requester);
void hp_debug_done(struct hp_debug *debug);

#endif
