// Files in memory.
//
//     struct files files = {0};
//     files_add(&files, path);
#ifndef TESTS_FUZZ_FILES_H
#define TESTS_FUZZ_FILES_H

#include <stddef.h>
#include <stdint.h>

struct file {
    char *path;
    uint8_t *bytes;
    size_t size;
};

struct files {
    struct file *at;
    size_t count, capacity;
};

// The file, or all in the folder and in those within, in order of their names; ends the
// process if there is none.
void files_add(struct files *files, const char *path);
void files_done(struct files *files);

#endif
