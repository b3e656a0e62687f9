// Fuzz target of tar archives: the same files are found whatever the size of the windows,
// and they have no more bytes than the archive.
#include "input/tar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

// The files that were found: their names, contents and errors, concatenated, each with a
// NUL.
struct contents {
    HP_VEC(char) output;
    size_t files, size; // number of files, and of their bytes
};

// The descriptor of a file in memory, the same one each time, and its path.
static int file_of(char path[32]) {
    static int fd = -1;
    if (fd < 0) {
        fd = memfd_create("archive", MFD_CLOEXEC);
    }
    snprintf(path, 32, "/proc/self/fd/%d", fd);
    return fd;
}

// Append bytes and a NUL.
static void append_output(struct contents *contents, const void *bytes, size_t size) {
    hp_vec_reserve(&contents->output, size + 1);
    if (size > 0) {
        memcpy(contents->output.at + contents->output.count, bytes, size);
    }
    contents->output.count += size;
    contents->output.at[contents->output.count++] = '\0';
}

static void read_archive(const char *path, size_t window, struct contents *contents) {
    struct hp_tar tar = {.stream = {.window = window}};
    struct hp_tar_file file = {0};
    struct hp_err err = {0};
    bool found = false;
    int ret = hp_tar_open(&tar, path, &err);
    while (ret == HP_OK) {
        ret = hp_tar_next(&tar, 1 << 20, &file, &found, &err);
        if (ret != HP_OK || !found) {
            break;
        }
        contents->files++;
        contents->size += file.bytes.count;
        append_output(contents, file.name.at, file.name.count);
        append_output(contents, file.bytes.at,
                      file.err.code == HP_OK ? file.bytes.count : 0);
        append_output(contents, file.err.message, strlen(file.err.message));
    }
    append_output(contents, err.message, strlen(err.message));
    hp_tar_file_done(&file);
    hp_tar_close(&tar);
}

static void fail(const char *what, const struct contents *a, const struct contents *b) {
    fprintf(stderr, "%s: %zu files and %zu files\n%s\n%s\n", what, a->files, b->files,
            a->output.at, b->output.at);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char path[32];
    struct contents whole = {.files = 0}, windows = {.files = 0};
    int fd = file_of(path);
    if (ftruncate(fd, 0) != 0 || pwrite(fd, bytes, size, 0) != (ssize_t)size) {
        abort();
    }
    read_archive(path, 0, &whole);
    read_archive(path, 600 + size % 1000, &windows);
    bool is_plain = size < 2 || (bytes[0] != 0x1f && bytes[0] != 0x28);
    if (is_plain &&
        (whole.output.count != windows.output.count ||
         memcmp(whole.output.at, windows.output.at, whole.output.count) != 0)) {
        fail("windows make a difference", &whole, &windows);
    }
    if (is_plain && whole.size > size) {
        fail("more came out than there is", &whole, &windows);
    }
    hp_vec_done(&whole.output);
    hp_vec_done(&windows.output);
    return 0;
}
