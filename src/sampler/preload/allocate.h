// What the interposed functions do with requests that do not just pass.
#ifndef HP_SAMPLER_ALLOCATE_H
#define HP_SAMPLER_ALLOCATE_H

#include <stdbool.h>
#include <stddef.h>

struct hp_request {
    size_t size;
    size_t alignment; // 0: that of malloc()
    bool zeroed;
};

static inline bool hp_is_power_of_2(size_t number) {
    return number > 0 && (number & (number - 1)) == 0;
}

// `frame` is the interposed function's __builtin_frame_address(0).
void *hp_allocate(struct hp_request request, const void *frame);

// `passes` is what hp_tracker_passes() said of the size; `object` is not NULL.
void *hp_reallocate(void *object, size_t size, bool passes, const void *frame);

// For an object that hp_tracker_watches().
void hp_release(void *object);

#endif
