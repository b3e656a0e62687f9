// Files, read into memory.
//
//     struct files files = {0};
//     files_add(&files, path);
#ifndef TESTS_FUZZ_FILES_H
#define TESTS_FUZZ_FILES_H

#include <stddef.h>
#include <stdint.h>

// One file; it owns its path and its bytes, which no NUL follows.
struct file {
    char *path;
    uint8_t *bytes;
    size_t size;
};

struct files {
    struct file *at;
    size_t count, capacity;
};

// Add a file, or all files of a folder and of its subfolders in order of their names.
// Names that begin with a dot are skipped.  Ends the process if a file cannot be read or
// a folder is empty.
void files_add(struct files *files, const char *path);
void files_done(struct files *files);

#endif
