// Decompression of the debug sections that are read.
#ifndef HP_SYM_UNPACK_H
#define HP_SYM_UNPACK_H

#include "sym/image.h"

// Unpack the compressed debug sections of an image that are read.  Afterwards
// hp_image_debug() returns an ELF file in memory with all of these sections; it stays the
// file itself if nothing is compressed.  Returns false, with `diagnostic` filled, if they
// cannot be unpacked or there is no memory for them.
bool hp_image_unpack(struct hp_image *image, struct hp_sym_diagnostic *diagnostic);

#endif
