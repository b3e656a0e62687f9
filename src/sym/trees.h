// Files below the folders of --symbol-dir, whose names suggest which programs and
// libraries they are.
#ifndef HP_SYM_TREES_H
#define HP_SYM_TREES_H

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>

// A file below such a folder.
struct hp_tree_file {
    const char *root; // the folder as it was given
    char *path;       // path in the folder, such as "/1.4/cartd"; owned
    // It is in a .build-id folder, where files are not named after programs.
    bool is_by_id;
};

// All files found; {0} is empty.
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

#endif
