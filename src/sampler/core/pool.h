// Memory from mmap() for code that may not call malloc(): all of it is given back at once.
#ifndef HPS_CORE_POOL_H
#define HPS_CORE_POOL_H

#include <stddef.h>

struct hps_pool_chunk;

// {0} is an empty pool.
struct hps_pool {
    struct hps_pool_chunk *chunks; // newest first
};

// Zeroed memory aligned for anything, or NULL when there is none.
void *hps_pool_take(struct hps_pool *pool, size_t size);

void hps_pool_done(struct hps_pool *pool);

// Zeroed pages of their own, or NULL; give them back with the same size.
void *hps_pages_take(size_t size);
void hps_pages_return(void *pages, size_t size);

#endif
