// Search for the files of a module.  Runs in the parent, which opens files for the child.
#ifndef HP_SYM_FINDER_H
#define HP_SYM_FINDER_H

#include "base/vec.h"
#include "sym/protocol.h"
#include "sym/signs.h"

#include <stdbool.h>
#include <stddef.h>

// --- trees -----------------------------------------------------------------------------
//
// Files below the folders of --symbol-dir, whose names suggest which programs and
// libraries they are.

// A file below a folder of --symbol-dir.
struct hp_tree_file {
    const char *root; // the folder as it was given
    char *path;       // path in the folder, such as "/1.4/cartd"; owned
    // It is in a .build-id folder, where files are not named after programs.
    bool is_by_id;
};

// All files found below the folders; {0} is empty.
struct hp_trees {
    HP_VEC(struct hp_tree_file) files; // upper folders first, each in byte order
};

// Add the files below a folder, to a depth of 8 levels and at most 20,000 entries.  Links
// are not followed.  `root` must outlive `trees`.
void hp_trees_add(struct hp_trees *trees, const char *root);
// Free the list.
void hp_trees_done(struct hp_trees *trees);

// Whether a file may be a version of a program: its name is or begins with that of the
// program.  A '*' in the name of the program matches any text.
bool hp_tree_file_is_of(const struct hp_tree_file *file, const char *program);

// --- finder ----------------------------------------------------------------------------

// A file that was found.
struct hp_file_place {
    // Its sysroot (a --symbol-dir) as the user gave it; NULL: the system itself.
    const char *root;
    char *path; // its path within `root`; owned
    struct hp_found_file found;
};

// Files that were found.  The list owns their paths.
struct hp_places {
    HP_VEC(struct hp_file_place) all;
};

void hp_places_done(struct hp_places *places);

// Returns "ROOT/PATH", which the caller frees.
char *hp_place_text(const struct hp_file_place *place);

// The search for the files of one module.  Paths without a note on their owner must
// outlive it.
struct hp_finder {
    const struct hp_symbol_options *options;
    const char *path; // path of the module, from the dump
    // The path; for a temporary copy with '*' instead of its random part.
    const char *name;
    const char *build_id; // build id of the module, from the dump; or ""
    // Files below the sysroots, which may be other versions of the module; or NULL.
    const struct hp_trees *trees;
    // The only files that may be the module's, if they are known; NULL: search.
    const struct hp_file_place *only;
    size_t only_count;
    // Paths of other modules with the same file, for debug links.
    const char *const *others;
    size_t other_count;
    char *module; // path within its sysroot of the candidate that was found last; owned
    char *debug;  // path within its sysroot of the debug file that was found last; owned
    char *shown;  // path with sysroot of the file that was found last; owned
    bool in_sysroot;            // `module` is in a sysroot
    struct hp_found_file found; // identity of `module`
    char reason[512];           // why the last search found nothing
    // Why the module was not found: the highest status of a place whose file cannot be
    // used; HP_SYM_NO_FILE if there is no file at all.
    enum hp_sym_status status;
};

// Begin the search for a module.  `options` may be NULL; `path` must outlive the search.
void hp_finder_init(struct hp_finder *finder, const struct hp_symbol_options *options,
                    const char *path);
// Free the memory of a search.
void hp_finder_done(struct hp_finder *finder);

// Open the n-th of the files that `wanted` describes, and record its path and identity in
// `finder`.  Returns a descriptor that the caller closes, or -1 with the reason in
// finder->reason.
int hp_finder_open(struct hp_finder *finder, const struct hp_wanted *wanted);

// Append to `places` all files that may be the module's, in the order in which
// HP_FIND_MODULE numbers them.
void hp_finder_list(struct hp_finder *finder, struct hp_places *places);

#endif
