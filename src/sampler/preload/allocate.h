// What the interposed functions do with requests that do not just pass.
#ifndef HPS_PRELOAD_ALLOCATE_H
#define HPS_PRELOAD_ALLOCATE_H

#include <stdbool.h>
#include <stddef.h>

struct hps_request {
    size_t size;
    size_t alignment; // 0: that of malloc()
    bool zeroed;
};

static inline bool hps_is_power_of_2(size_t number) {
    return number > 0 && (number & (number - 1)) == 0;
}

// `frame` is the interposed function's __builtin_frame_address(0).
void *hps_allocate(struct hps_request request, const void *frame);

// `passes` is what hps_tracker_passes() said of the size; `object` is not NULL.
void *hps_reallocate(void *object, size_t size, bool passes, const void *frame);

// For an object that hps_tracker_watches().
void hps_release(void *object);

#endif
