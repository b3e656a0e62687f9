// Check whether a file is the one that was mapped when the dump was made.
#ifndef HP_SYM_VERIFY_H
#define HP_SYM_VERIFY_H

#include "sym/image.h"
#include "sym/protocol.h"

// If the request has a build id, the file must have the same one.  Otherwise the program
// headers must explain the mapped ranges of the dump.  A debug file is placed where its
// code was mapped (hp_load.offset).  Returns false, with `diagnostic` filled, if the file
// is another one or cannot be compared.
bool hp_verify(struct hp_image *image, const struct hp_request *request,
               struct hp_sym_diagnostic *diagnostic);

#endif
