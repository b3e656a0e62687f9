// Compressed data, decompressed as it is read.
#ifndef HP_INPUT_UNPACK_H
#define HP_INPUT_UNPACK_H

#include "base/err.h"
#include "input/source.h"

enum {
    HP_UNPACK_HEAD = 256 << 10, // bytes that are read at a time
};

// True if a file that begins so is compressed.
bool hp_is_packed(const char *head, size_t size);

// NULL if a file that begins so is not compressed.  `head` is what has been read of it: at
// most HP_UNPACK_HEAD bytes; `is_all` tells that there are no more.
struct hp_unpack *hp_unpack_new(struct hp_source *source, const char *head, size_t size,
                                bool is_all);
void hp_unpack_free(struct hp_unpack *unpack); // NULL is fine

// Decompress up to `room` bytes: fewer only at the end.
HP_MUST_CHECK int hp_unpack_read(struct hp_unpack *unpack, char *out, size_t room,
                                 size_t *got, struct hp_err *err);

// Compressed bytes that are used up so far.
uint64_t hp_unpack_consumed(const struct hp_unpack *unpack);

#endif
