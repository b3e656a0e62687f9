// Opening files whose names come from a dump or a binary.  Only regular files are opened,
// without waiting for one, and below a sysroot no file outside of it.  Files that the
// user names are opened by hp_open_input(), which is public.
#ifndef HP_BASE_FILES_H
#define HP_BASE_FILES_H

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Open `path` for reading; with a `root`, resolve it inside that folder as chroot would.
// Returns -1 with errno if there is no such file; EINVAL if it is not a regular file with
// content.  Any errno but ENOENT and ENOTDIR means that a file may exist but cannot be
// used.
int hp_open_file(const char *root, const char *path);

// Do the same as hp_open_file() with a root by walking over the components of the path:
// for kernels where openat2 is missing or denied.
int hp_open_walk(const char *root, const char *path);

// Do the same as hp_open_file() without a root, but fail if the last component of the
// path is a symbolic link.  Folders on the way may be links.
int hp_open_itself(const char *path);

// Store the path of an open file, with all links resolved; false where there is no /proc
// to ask.
bool hp_path_of(int fd, char path[PATH_MAX]);

// Read `size` bytes at an offset of a file.  Returns the number of bytes read, which is
// smaller only at the end of the file; -1 with errno.
ssize_t hp_read_at(int fd, void *bytes, size_t size, uint64_t at);

#endif
