// Opening files whose names come from a dump or a binary: only regular files, without waiting for
// one, and below a sysroot none outside it.  Files that the user names: hp_open_input(), which is public.
#ifndef HP_BASE_FILES_H
#define HP_BASE_FILES_H

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Open `path` for reading; with a `root`, resolve it inside that folder as chroot would.
// -1 with errno if there is none; EINVAL if it is something else than a regular file
// with content.  Others than ENOENT and ENOTDIR: there may be a file, which cannot be used.
int hp_open_file(const char *root, const char *path);

// The same as hp_open_file() with a root, by a walk over the components: for kernels
// where openat2 is missing or denied.
int hp_open_walk(const char *root, const char *path);

// The same as hp_open_file() without a root, but not through a symbolic link in the last part of
// the path.  Folders on the way may be links.
int hp_open_itself(const char *path);

// The path of an open file, without links; false where there is no /proc to ask.
bool hp_path_of(int fd, char path[PATH_MAX]);

// Read `size` bytes at an offset of a file: how many there are, fewer only at its end; -1 with errno.
ssize_t hp_read_at(int fd, void *bytes, size_t size, uint64_t at);

#endif
