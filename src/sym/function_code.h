// What the code of a function is known by: where it begins, how long it is, and its bytes.
#ifndef HP_SYM_FUNCTION_CODE_H
#define HP_SYM_FUNCTION_CODE_H

#include "sym/image.h"
#include "sym/symtab.h"

// Of the function around an address, which the table has `shift` further on; 0: it is not known where it ends.
uint64_t hp_function_code(const struct hp_image *image, const struct hp_symtab *table,
                          uint64_t address, uint64_t shift);

#endif
