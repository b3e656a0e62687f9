// Names for single stacks of dumps of several builds that cannot be separated: a file is
// taken for a stack if all addresses of the module in the stack follow calls in it.
// Names are given only to two frames of which one directly calls the function of the
// other: of stacks of another build, less than one in a thousand has such a pair.
#ifndef HP_SYM_STACK_FITS_H
#define HP_SYM_STACK_FITS_H

#include "sym/chains.h"

// For each stack of the question, find the trials of the module that fit it, and the
// frames that have their names.  `fits` was judged.  `keys` are the keys of the files of
// all trials.
void hp_stack_fits_find(const struct hp_fits *fits, uint32_t module,
                        const char *const *keys, const struct hp_chain_reader *reader,
                        struct hp_stack_proofs *proofs);

#endif
