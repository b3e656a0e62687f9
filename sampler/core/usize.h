// The usable size that jemalloc 5 gives to a request: 8, then multiples of 16 up to 128,
// then four sizes for each doubling.
#ifndef HPS_CORE_USIZE_H
#define HPS_CORE_USIZE_H

#include <stdint.h>

// Usable size of a request of less than 2^62 bytes.
static inline uint64_t hps_usize(uint64_t request) {
    if (request <= 8) {
        return 8;
    }
    int top = 63 - __builtin_clzll(request - 1); // the request is in (2^top, 2^(top+1)]
    int step = top < 6 ? 4 : top - 2;
    uint64_t mask = ((uint64_t)1 << step) - 1;
    return (request + mask) & ~mask;
}

// Usable size of an aligned request; alignment is a power of 2.
static inline uint64_t hps_usize_aligned(uint64_t request, uint64_t alignment) {
    return hps_usize((request + alignment - 1) & ~(alignment - 1));
}

#endif
