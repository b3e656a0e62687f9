// The functions of the next allocator in the search order of symbols: libc's, or one that
// the program is linked to, such as jemalloc.
#ifndef HPS_PRELOAD_NEXT_H
#define HPS_PRELOAD_NEXT_H

#include <stdbool.h>
#include <stddef.h>

// Its functions.
struct hps_next {
    void *(*malloc)(size_t size);
    void (*free)(void *object);
    void *(*calloc)(size_t count, size_t size);
    void *(*realloc)(void *object, size_t size);
    void *(*memalign)(size_t alignment, size_t size);
    void *(*aligned_alloc)(size_t alignment, size_t size);
    int (*posix_memalign)(void **object, size_t alignment, size_t size);
};

// All are NULL until hps_next_find() has returned, except for free(), which does nothing.
extern struct hps_next hps_next;

// Find the functions with dlsym(), which may itself allocate.  Ends the process if one is
// missing.
void hps_next_find(void);

// Allocate memory while the functions are being found: zeroed, aligned to a page, never
// reused.  Returns NULL with errno when it is used up.
void *hps_next_provisional(size_t size);

// Bytes of that memory from an address on; 0 if the address is not in it.
size_t hps_next_provisional_room(const void *object);

#endif
