// Memory from mmap() for code that must not call malloc().  All memory of a pool is
// released at once.
#ifndef HPS_CORE_POOL_H
#define HPS_CORE_POOL_H

#include <stddef.h>

struct hps_pool_chunk;

// A pool.  {0} is empty.
struct hps_pool {
    struct hps_pool_chunk *chunks; // newest first
};

// Allocate zeroed memory that is aligned for any type.  Returns NULL when out of memory.
void *hps_pool_take(struct hps_pool *pool, size_t size);

// Release all memory of the pool; {0} is left.
void hps_pool_done(struct hps_pool *pool);

// Allocate zeroed pages, or return them; `size` has to be the same in both calls.  NULL
// when out of memory.
void *hps_pages_take(size_t size);
void hps_pages_return(void *pages, size_t size);

#endif
