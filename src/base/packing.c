#include "base/packing.h"

#include "base/memory.h"

#include <string.h>

// The functions for zstd.  A failure of zstd means that memory has run out: there is
// always room for the result, and packed data was made in this process, so that it is
// never damaged.
#ifdef HP_WITH_ZSTD
#    include <zstd.h>

enum {
    LEAST_PACKED = 256, // bytes from which on compression is worth its time
};

void hp_packer_done(struct hp_packer *packer) {
    ZSTD_freeCCtx(packer->context);
    packer->context = NULL;
}

size_t hp_pack_room(size_t size) {
    return ZSTD_compressBound(size);
}

// Compress if it is worth it.  Returns the compressed size, which may be more than
// `size`, or `size` if it was not tried.
static size_t compress(struct hp_packer *packer, const void *bytes, size_t size,
                       void *packed) {
    size_t room = hp_pack_room(size), packed_size = size;
    if (size < LEAST_PACKED) {
        return size;
    }
    packer->context = packer->context ? packer->context : ZSTD_createCCtx();
    if (packer->context) {
        packed_size =
            ZSTD_compressCCtx(packer->context, packed, room, bytes, size, packer->level);
    }
    if (!packer->context || ZSTD_isError(packed_size)) {
        hp_out_of_memory(room);
    }
    return packed_size;
}

static void decompress(const void *packed, size_t packed_size, void *bytes, size_t size) {
    if (ZSTD_isError(ZSTD_decompress(bytes, size, packed, packed_size))) {
        hp_out_of_memory(size);
    }
}
#else
void hp_packer_done(struct hp_packer *packer) {
    (void)packer;
}

size_t hp_pack_room(size_t size) {
    return size > 0 ? size : 1;
}

static size_t compress(struct hp_packer *packer, const void *bytes, size_t size,
                       void *packed) {
    (void)packer, (void)bytes, (void)packed;
    return size;
}

static void decompress(const void *packed, size_t packed_size, void *bytes, size_t size) {
    (void)packed, (void)packed_size, (void)bytes;
    hp_out_of_memory(size); // unreachable: compress() makes nothing smaller
}
#endif

size_t hp_pack(struct hp_packer *packer, const void *bytes, size_t size, void *packed) {
    size_t packed_size = compress(packer, bytes, size, packed);
    if (packed_size >= size && size > 0) {
        memcpy(packed, bytes, size);
    }
    return packed_size < size ? packed_size : size;
}

void hp_unpack(const void *packed, size_t packed_size, void *bytes, size_t size) {
    if (packed_size < size) {
        decompress(packed, packed_size, bytes, size);
    } else if (size > 0) {
        memcpy(bytes, packed, size);
    }
}
