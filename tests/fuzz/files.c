#include "files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static _Noreturn void fail(const char *path) {
    perror(path);
    exit(1);
}

static void add_file(struct files *files, const char *path, size_t size) {
    FILE *stream = fopen(path, "rb");
    struct file file = {strdup(path), malloc(size),
                        size}; // exactly `size` bytes, so that sanitizers see overruns
    if (files->count == files->capacity) {
        files->capacity = files->capacity * 2 + 16;
        files->at = realloc(files->at, files->capacity * sizeof *files->at);
    }
    if (!stream || !file.path || !file.bytes || !files->at ||
        fread(file.bytes, 1, size, stream) != size) {
        fail(path);
    }
    fclose(stream);
    files->at[files->count++] = file;
}

static int is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static void add_folder(struct files *files, const char *folder) {
    struct dirent **entries;
    int count = scandir(folder, &entries, is_visible, alphasort);
    if (count <= 0) {
        fprintf(stderr, "%s: nothing in it\n", folder);
        exit(1);
    }
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        files_add(files, path);
        free(entries[i]);
    }
    free(entries);
}

void files_add(struct files *files, const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) {
        fail(path);
    }
    if (S_ISDIR(status.st_mode)) {
        add_folder(files, path);
    } else {
        add_file(files, path, (size_t)status.st_size);
    }
}

void files_done(struct files *files) {
    for (size_t i = 0; i < files->count; i++) {
        free(files->at[i].path);
        free(files->at[i].bytes);
    }
    free(files->at);
    *files = (struct files){NULL, 0, 0};
}
