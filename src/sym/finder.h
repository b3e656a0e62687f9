// Where a module's file and its debug files may be: the sysroots first, then the path
// maps, then the path itself; and which of these may be opened for the child.
#ifndef HP_SYM_FINDER_H
#define HP_SYM_FINDER_H

#include "sym/protocol.h"

// One module's search.
struct hp_finder {
    const struct hp_symbol_options *options;
    const char *path; // of the module, as the dump has it
    char *module;     // the candidate for it found last, as its sysroot has it
    char *debug;      // the debug file found last, likewise
    char *shown;      // the file found last, sysroot and all
    bool in_sysroot;  // `module` is in one
    char reason[512]; // why the last search found nothing
};

// `options` and `path` must outlive the finder.
void hp_finder_init(struct hp_finder *finder, const struct hp_symbol_options *options,
                    const char *path);
void hp_finder_done(struct hp_finder *finder);

// Open the wanted->n-th file there is; finder->shown is its name.  -1 with
// finder->reason if there are no more.
int hp_finder_open(struct hp_finder *finder, const struct hp_wanted *wanted);

#endif
