// Where calls return to, as debug information lists them (DW_AT_call_return_pc): of files that have no code.
#ifndef HP_SYM_CALL_SITES_H
#define HP_SYM_CALL_SITES_H

#include "sym/call_pairs.h"

// Answer for each pair whether a call returns to pair->outer.  No is known of functions that list all of their calls.
// Of compressed debug information the image is unpacked.
void hp_call_sites_find(struct hp_image *image, const struct hp_call_pairs *pairs,
                        unsigned char *answers);

#endif
