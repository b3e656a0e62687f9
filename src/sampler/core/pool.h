// Memory from mmap() for code that may not call malloc(): all of it is given back at once.
#ifndef HP_SAMPLER_POOL_H
#define HP_SAMPLER_POOL_H

#include <stddef.h>

struct hp_pool_chunk;

// {0} is an empty pool.
struct hp_pool {
    struct hp_pool_chunk *chunks; // newest first
};

// Zeroed memory aligned for anything, or NULL when there is none.
void *hp_pool_take(struct hp_pool *pool, size_t size);

void hp_pool_done(struct hp_pool *pool);

// Zeroed pages of their own, or NULL; give them back with the same size.
void *hp_pages_take(size_t size);
void hp_pages_return(void *pages, size_t size);

#endif
