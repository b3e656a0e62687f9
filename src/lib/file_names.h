// Function names that a partial stores, so that reports show them without the binary.
#ifndef HP_LIB_FILE_NAMES_H
#define HP_LIB_FILE_NAMES_H

#include "model/profile.h"

struct hp_symbol_options;

// Search binaries for the names of frames in modules whose builds are proven.  Names from
// dumps are kept.  Between two sets of names from binaries the one with more inlined
// calls is used.  `options` may be NULL.
void hp_file_names_find(struct hp_profile *profile,
                        const struct hp_symbol_options *options);

#endif
