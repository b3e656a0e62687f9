// Opening files whose names come from a dump or a binary.  Only regular files are opened.
// Opening never waits, and with a sysroot no file outside of it is opened.  Files that
// the user names are opened by hp_open_input(), which is public.
#ifndef HP_BASE_FILES_H
#define HP_BASE_FILES_H

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Open `path` for reading; with a `root`, resolve it inside that folder as chroot would.
// Returns a descriptor, or -1 with errno: EINVAL if the file is not a regular file with
// content.  Any errno but ENOENT and ENOTDIR means that a file may exist but cannot be
// used.
int hp_open_file(const char *root, const char *path);

// Do the same as hp_open_file() with a root, but resolve the path here, one component
// after the other: for kernels where openat2 is missing or denied.
int hp_open_walk(const char *root, const char *path);

// Do the same as hp_open_file() without a root, but fail if the last component of the
// path is a symbolic link.  Folders on the way may be links.
int hp_open_itself(const char *path);

// Store the path of an open file, with all links resolved.  Returns false, with an empty
// path, where /proc is not mounted.
bool hp_path_of(int fd, char path[PATH_MAX]);

// Read `size` bytes at an offset of a file.  Returns the number of bytes read, which is
// smaller only at the end of the file; -1 with errno.
ssize_t hp_read_at(int fd, void *bytes, size_t size, uint64_t at);

#endif
