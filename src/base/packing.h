// Compression of data that stays in this process, to save memory: zstd, or a plain copy
// in builds without it.
#ifndef HP_BASE_PACKING_H
#define HP_BASE_PACKING_H

#include <stddef.h>

struct ZSTD_CCtx_s;

// The state of compressing bytes in memory.  {0} is ready for use.  The context of zstd
// is kept between calls, because creating one takes longer than compressing a few
// kilobytes.
struct hp_packer {
    int level; // compression level of zstd; 0: zstd's default
    // Created at the first call that compresses; NULL before.
    struct ZSTD_CCtx_s *context;
};

// Free the context; the packer may be used again.
void hp_packer_done(struct hp_packer *packer);

// Bytes that hp_pack() needs at `packed` for `size` bytes of input.
size_t hp_pack_room(size_t size);

// Compress into `packed` and return the number of bytes there: less than `size` if they
// are compressed, `size` if they are a plain copy.
size_t hp_pack(struct hp_packer *packer, const void *bytes, size_t size, void *packed);

// Restore the original `size` bytes from what hp_pack() stored.
void hp_unpack(const void *packed, size_t packed_size, void *bytes, size_t size);

#endif
