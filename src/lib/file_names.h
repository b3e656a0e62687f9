// Names of functions that a partial keeps, so that reports have them where no binary is at hand.
#ifndef HP_LIB_FILE_NAMES_H
#define HP_LIB_FILE_NAMES_H

#include "model/profile.h"

struct hp_symbol_options;

// Find them for the frames of modules whose builds are proven.  Names that dumps tell stay, and of those of a file
// that are known already these with more inlined calls.
void hp_file_names_find(struct hp_profile *profile,
                        const struct hp_symbol_options *options);

#endif
