// Return addresses of calls as debug information lists them (DW_AT_call_return_pc), for
// debug files without code.
#ifndef HP_SYM_CALL_SITES_H
#define HP_SYM_CALL_SITES_H

#include "sym/call_pairs.h"

// Answer for each pair whether a call returns to pair->outer.  HP_CALL_NO is given only
// in functions that list all of their calls.  Compressed debug information is unpacked in
// the image.
void hp_call_sites_find(struct hp_image *image, const struct hp_call_pairs *pairs,
                        unsigned char *answers);

#endif
