// Where the bytes of an input come from: a file descriptor, or memory.
#ifndef HP_INPUT_SOURCE_H
#define HP_INPUT_SOURCE_H

#include "base/span.h"

#include <sys/types.h>

struct hp_source {
    int fd;                // -1: memory
    struct hp_span memory; // what is left of it
};

// The one read loop: how many bytes, fewer than `size` only at the end; -1 with errno.
ssize_t hp_source_read(struct hp_source *source, void *buffer, size_t size);

#endif
