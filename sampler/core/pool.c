#include "core/pool.h"

#include <stdalign.h>
#include <stdint.h>
#include <sys/mman.h>

// Sizes in bytes.
enum {
    CHUNK_SIZE = 1 << 20,        // least size of a chunk
    UNIT = alignof(max_align_t), // alignment
};

// One mapping, with memory that is handed out from the front.
struct hps_pool_chunk {
    struct hps_pool_chunk *next;
    size_t size, used; // bytes, including this header
    alignas(max_align_t) char memory[];
};

void *hps_pages_take(size_t size) {
    void *pages =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void hps_pages_return(void *pages, size_t size) {
    if (pages) {
        munmap(pages, size);
    }
}

// Map a chunk with room for `size` bytes.  Returns NULL when out of memory.
static struct hps_pool_chunk *grow(struct hps_pool *pool, size_t size) {
    size_t whole = sizeof(struct hps_pool_chunk) + size;
    struct hps_pool_chunk *chunk =
        hps_pages_take(whole > CHUNK_SIZE ? whole : CHUNK_SIZE);
    if (chunk) {
        chunk->size = whole > CHUNK_SIZE ? whole : CHUNK_SIZE;
        chunk->used = sizeof *chunk;
        chunk->next = pool->chunks;
        pool->chunks = chunk;
    }
    return chunk;
}

void *hps_pool_take(struct hps_pool *pool, size_t size) {
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    size = (size + UNIT - 1) / UNIT * UNIT;
    struct hps_pool_chunk *chunk = pool->chunks;
    if (!chunk || chunk->size - chunk->used < size) {
        chunk = grow(pool, size);
    }
    if (!chunk) {
        return NULL;
    }
    void *memory = (char *)chunk + chunk->used;
    chunk->used += size;
    return memory;
}

void hps_pool_done(struct hps_pool *pool) {
    while (pool->chunks) {
        struct hps_pool_chunk *chunk = pool->chunks;
        pool->chunks = chunk->next;
        hps_pages_return(chunk, chunk->size);
    }
}
