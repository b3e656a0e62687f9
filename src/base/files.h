// Opening files whose names come from a dump or a binary: only regular files, never
// waiting for one, and below a sysroot never leaving it.
#ifndef HP_BASE_FILES_H
#define HP_BASE_FILES_H

#include <stddef.h>

// Open `path` for reading; with a `root`, resolve it inside that folder as chroot would.
// -1 with errno if there is none; EINVAL if it is something else than a regular file
// with content.
int hp_open_file(const char *root, const char *path);

// The same as hp_open_file() with a root, by a walk over the components: for kernels
// without openat2.
int hp_open_walk(const char *root, const char *path);

#endif
