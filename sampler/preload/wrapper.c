// The interposed functions of C.  Each first checks whether the request passes.  If not,
// a separate function does the rest, so that the usual path needs no stack frame.
#include "preload/allocate.h"
#include "preload/next.h"
#include "preload/tracker.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))
#define APART    static __attribute__((noinline))

// --- plain --------------------------------------------------------------------------

// Functions APART allocate if the request did not pass; their frame leads to the
// caller's.
APART void *allocate_apart(size_t size) {
    return hps_allocate((struct hps_request){.size = size}, __builtin_frame_address(0));
}

static inline void *allocate(size_t size) {
    return hps_tracker_passes(size) ? hps_next.malloc(size) : allocate_apart(size);
}

EXPORTED void *malloc(size_t size) {
    return allocate(size);
}

EXPORTED void free(void *object) {
    if (hps_tracker_watches(object)) {
        hps_release(object);
    } else {
        hps_next.free(object);
    }
}

APART void *allocate_zeroed_apart(size_t size) {
    return hps_allocate((struct hps_request){.size = size, .zeroed = true},
                        __builtin_frame_address(0));
}

EXPORTED void *calloc(size_t count, size_t size) {
    size_t whole;
    if (__builtin_mul_overflow(count, size, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    return hps_tracker_passes(whole) ? hps_next.calloc(1, whole)
                                     : allocate_zeroed_apart(whole);
}

APART void *reallocate_apart(void *object, size_t size, bool passes) {
    return hps_reallocate(object, size, passes, __builtin_frame_address(0));
}

static inline void *reallocate(void *object, size_t size) {
    if (!object) {
        return allocate(size);
    }
    bool passes = hps_tracker_passes(size);
    return passes && !hps_tracker_watches(object)
               ? hps_next.realloc(object, size)
               : reallocate_apart(object, size, passes);
}

EXPORTED void *realloc(void *object, size_t size) {
    return reallocate(object, size);
}

EXPORTED void *reallocarray(void *object, size_t count, size_t size) {
    size_t whole;
    if (__builtin_mul_overflow(count, size, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    return reallocate(object, whole);
}

// --- aligned ------------------------------------------------------------------------

APART void *allocate_aligned_apart(size_t alignment, size_t size) {
    return hps_allocate((struct hps_request){.size = size, .alignment = alignment},
                        __builtin_frame_address(0));
}

static inline void *allocate_aligned(size_t alignment, size_t size) {
    return hps_tracker_passes(size) ? hps_next.memalign(alignment, size)
                                    : allocate_aligned_apart(alignment, size);
}

EXPORTED void *memalign(size_t alignment, size_t size) {
    return allocate_aligned(alignment, size);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size) {
    return hps_tracker_passes(size) ? hps_next.aligned_alloc(alignment, size)
                                    : allocate_aligned_apart(alignment, size);
}

EXPORTED int posix_memalign(void **object, size_t alignment, size_t size) {
    if (!hps_is_power_of_2(alignment) || alignment % sizeof(void *) != 0) {
        return EINVAL;
    }
    int error = errno;
    void *aligned = allocate_aligned(alignment, size);
    if (!aligned) {
        errno = error;
        return ENOMEM;
    }
    *object = aligned;
    return 0;
}

static size_t page_size(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

EXPORTED void *valloc(size_t size) {
    return allocate_aligned(page_size(), size);
}

EXPORTED void *pvalloc(size_t size) {
    size_t page = page_size();
    size_t rounded;
    if (__builtin_add_overflow(size, page - 1, &rounded)) {
        errno = ENOMEM;
        return NULL;
    }
    return allocate_aligned(page, rounded & ~(page - 1));
}
