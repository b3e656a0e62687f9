// Is this the file that was mapped when the dump was made?
#ifndef HP_SYM_VERIFY_H
#define HP_SYM_VERIFY_H

#include "sym/image.h"
#include "sym/protocol.h"

// With a build id known: it must be the file's.  Without: the program headers must give
// the rows of the dump.  A debug file is placed where its code was mapped.  False, with
// `diagnostic` filled, if not.
bool hp_verify(struct hp_image *image, const struct hp_request *request,
               struct hp_sym_diagnostic *diagnostic);

#endif
