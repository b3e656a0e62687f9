// Allocate, resize and free objects that may be sampled; the interposed functions call
// this for requests that they cannot pass on at once.
#ifndef HPS_PRELOAD_ALLOCATE_H
#define HPS_PRELOAD_ALLOCATE_H

#include <stdbool.h>
#include <stddef.h>

// A request for memory.
struct hps_request {
    size_t size;
    size_t alignment; // 0: that of malloc()
    bool zeroed;      // the memory has to be zero
};

static inline bool hps_is_power_of_2(size_t number) {
    return number > 0 && (number & (number - 1)) == 0;
}

// Allocate an object, and record it if it is sampled.  `frame` is the interposed
// function's __builtin_frame_address(0), from which its callers are found.  NULL with
// errno when out of memory.
void *hps_allocate(struct hps_request request, const void *frame);

// Resize an object, as realloc().  `passes` is the result of hps_tracker_passes() for the
// size; `object` is not NULL.
void *hps_reallocate(void *object, size_t size, bool passes, const void *frame);

// Free an object for which hps_tracker_watches() is true.
void hps_release(void *object);

#endif
