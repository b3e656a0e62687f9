// Where the files of a module are: the parent opens them for the child.
#ifndef HP_SYM_FINDER_H
#define HP_SYM_FINDER_H

#include "sym/protocol.h"
#include "sym/signs.h"
#include "sym/trees.h"

// A file that was found.
struct hp_place {
    const char *root; // the sysroot that it is in, as the user gave it; NULL: none
    char *path;       // in that
    struct hp_found_file found;
};

struct hp_places {
    HP_VEC(struct hp_place) all;
};

void hp_places_done(struct hp_places *places);

// "ROOT/PATH", to be freed.
char *hp_place_text(const struct hp_place *place);

// One module's search.
struct hp_finder {
    const struct hp_symbol_options *options;
    const char *path; // of the module, as the dump has it
    const char *name; // the same, of a temporary copy with '*' for what is random in it
    const char *build_id;         // of the module, as the dump has it, or ""
    const struct hp_trees *trees; // where further versions of the module may be; or NULL
    const struct hp_place
        *only; // the files that may be the module's, if that is known; or NULL
    size_t only_count;
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

// Add all files that may be the module's: those that HP_FIND_MODULE has one after the other.
void hp_finder_list(struct hp_finder *finder, struct hp_places *places);

#endif
