// The "code" of a function: a digest of its start, length and machine instructions.
// Builds are compared by these digests, function by function.
#ifndef HP_SYM_FUNCTION_CODE_H
#define HP_SYM_FUNCTION_CODE_H

#include "sym/image.h"
#include "sym/symtab.h"

// The digest of the function that contains `address` of the file.  `shift` is added to
// addresses to look them up in `table`.  Returns 0 if the end of the function is unknown,
// or its code is not in the file.
uint64_t hp_function_code(const struct hp_image *image, const struct hp_symtab *table,
                          uint64_t address, uint64_t shift);

#endif
