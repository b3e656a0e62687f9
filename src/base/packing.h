// Bytes of our own kept small in memory: zstd, or as they are where we are built without it.
#ifndef HP_BASE_PACKING_H
#define HP_BASE_PACKING_H

#include <stddef.h>

struct ZSTD_CCtx_s;

// {0} is a packer.  It is kept, as to make one takes longer than to pack a few kilobytes.
struct hp_packer {
    int level; // of zstd; 0: what zstd holds right
    struct ZSTD_CCtx_s *context;
};

void hp_packer_done(struct hp_packer *packer);

// How many bytes hp_pack() needs at `packed` for so many.
size_t hp_pack_room(size_t size);

// How many bytes are at `packed` then: `size` if they are as they were, else fewer.
size_t hp_pack(struct hp_packer *packer, const void *bytes, size_t size, void *packed);

// Back to `size` bytes.
void hp_unpack(const void *packed, size_t packed_size, void *bytes, size_t size);

#endif
