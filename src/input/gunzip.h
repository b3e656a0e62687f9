// gzip data of a file descriptor, decompressed as it is read.
#ifndef HP_INPUT_GUNZIP_H
#define HP_INPUT_GUNZIP_H

#include "base/err.h"

#include <sys/types.h>

// True if a file that begins so is compressed.
bool hp_is_gzip(const char *head, size_t size);

// `head` is what has been read of the file; at most HP_GUNZIP_HEAD bytes.
enum {
    HP_GUNZIP_HEAD = 256 << 10,
};

struct hp_gunzip *hp_gunzip_new(int fd, const char *head, size_t size);
void hp_gunzip_free(struct hp_gunzip *gunzip); // NULL is fine

// Decompress up to `room` bytes: fewer only at the end.
HP_MUST_CHECK int hp_gunzip_read(struct hp_gunzip *gunzip, char *out, size_t room,
                                 size_t *got, struct hp_err *err);

// Compressed bytes read so far.
uint64_t hp_gunzip_consumed(const struct hp_gunzip *gunzip);

// The one read loop: how many bytes, fewer than `size` only at the end; -1 with errno.
ssize_t hp_read_fully(int fd, void *buffer, size_t size);

#endif
