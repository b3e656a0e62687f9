// Files below the folders of --symbol-dir, whose names tell which programs and libraries they may be.
#ifndef HP_SYM_TREES_H
#define HP_SYM_TREES_H

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>

struct hp_tree_file {
    const char *root; // the folder as it was given
    char *path;       // in it: "/1.4/cartd"
    bool is_by_id;    // in a .build-id folder, where no file has the name of a program
};

// {0} is empty.
struct hp_trees {
    HP_VEC(struct hp_tree_file) files; // upper folders first, in byte order
};

// Add the files below a folder: of at most 8 levels and 20,000 entries.  Links are not followed.
void hp_trees_add(struct hp_trees *trees, const char *root);
void hp_trees_done(struct hp_trees *trees);

// Whether a file may be a version of a program: its name is that of the program, or begins with it.  A '*' in the
// name of a program is any text.
bool hp_tree_file_is_of(const struct hp_tree_file *file, const char *program);

#endif
