// Debug information that is compressed in its file: the sections of it that are read, unpacked.
#ifndef HP_SYM_UNPACK_H
#define HP_SYM_UNPACK_H

#include "sym/image.h"

// From now on hp_image_debug() is an ELF file in memory with these sections, if any of them are
// compressed.  False, with `diagnostic` filled, if that cannot be had.
bool hp_image_unpack(struct hp_image *image, struct hp_sym_diagnostic *diagnostic);

#endif
