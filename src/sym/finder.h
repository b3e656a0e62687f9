// Where the files of a module are: the parent opens them for the child.
#ifndef HP_SYM_FINDER_H
#define HP_SYM_FINDER_H

#include "sym/protocol.h"
#include "sym/signs.h"

// One module's search.
struct hp_finder {
    const struct hp_symbol_options *options;
    const char *path;          // of the module, as the dump has it
    const char *build_id;      // of the module, as the dump has it, or ""
    const char *const *others; // paths of modules with the same file, see debug links
    size_t other_count;
    char *module;               // the candidate for it found last, as its sysroot has it
    char *debug;                // the debug file found last, likewise
    char *shown;                // the file found last, sysroot and all
    bool in_sysroot;            // `module` is in one
    struct hp_found_file found; // what `module` is
    char reason[512];           // why the last search found nothing
    enum hp_sym_status
        status; // why the module was not found, by the places with something in them
};

// `options` may be NULL; `path` must outlive the search.
void hp_finder_init(struct hp_finder *finder, const struct hp_symbol_options *options,
                    const char *path);
void hp_finder_done(struct hp_finder *finder);

// The n-th file of that description, open; or -1, with the reason.
int hp_finder_open(struct hp_finder *finder, const struct hp_wanted *wanted);

#endif
