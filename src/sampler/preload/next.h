// The allocator that comes after ours in the search order of symbols: libc's, or one that the
// program is linked to, such as jemalloc.
#ifndef HPS_PRELOAD_NEXT_H
#define HPS_PRELOAD_NEXT_H

#include <stdbool.h>
#include <stddef.h>

struct hps_next {
    void *(*malloc)(size_t size);
    void (*free)(void *object);
    void *(*calloc)(size_t count, size_t size);
    void *(*realloc)(void *object, size_t size);
    void *(*memalign)(size_t alignment, size_t size);
    void *(*aligned_alloc)(size_t alignment, size_t size);
    int (*posix_memalign)(void **object, size_t alignment, size_t size);
};

// Until hps_next_find() has come back all are NULL, except that free() does nothing.
extern struct hps_next hps_next;

// What is found through dlsym(), which may itself allocate.
void hps_next_find(void);

// Zeroed memory for that, a whole page aligned to one and never reused; or NULL.
void *hps_next_provisional(size_t size);

// How much of it there is at an address: 0 if that is not provisional memory.
size_t hps_next_provisional_room(const void *object);

#endif
