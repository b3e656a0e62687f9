// .gnu_debugdata ("MiniDebugInfo"): a small ELF file inside a stripped one, compressed by
// xz, with symbols that .dynsym lacks.
#ifndef HP_SYM_MINIDEBUG_H
#define HP_SYM_MINIDEBUG_H

#include "sym/image.h"

// The file with symbols that is packed inside of an image (MiniDebugInfo), opened; {0} is
// none.
struct hp_minidebug {
    struct hp_image image; // numbers in its symbols refer to its own section headers
    HP_VEC(unsigned char) bytes; // the unpacked file, which `image` points into
};

// Open the file with symbols that is packed inside of `image` (MiniDebugInfo).  Returns
// false if the image has none, or, with `diagnostic` filled, if the inner file is damaged
// or not supported.  Ended by hp_minidebug_done().
bool hp_minidebug_open(struct hp_minidebug *mini, const struct hp_image *image,
                       struct hp_sym_diagnostic *diagnostic);
void hp_minidebug_done(struct hp_minidebug *mini);

#endif
