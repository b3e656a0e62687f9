// .gnu_debugdata: a small ELF file within a stripped one, packed by xz, with the symbols that
// .dynsym has not.
#ifndef HP_SYM_MINIDEBUG_H
#define HP_SYM_MINIDEBUG_H

#include "sym/image.h"

// {0} is none.
struct hp_minidebug {
    struct hp_image image; // its sections are numbered as its own headers are
    HP_VEC(unsigned char) bytes;
};

// False if `image` has none, or with `diagnostic` filled if it cannot be read.
bool hp_minidebug_open(struct hp_minidebug *mini, const struct hp_image *image,
                       struct hp_sym_diagnostic *diagnostic);
void hp_minidebug_done(struct hp_minidebug *mini);

#endif
