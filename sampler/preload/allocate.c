#include "preload/allocate.h"

#include "preload/next.h"
#include "preload/tracker.h"

#include <errno.h>
#include <string.h>

enum {
    // Bytes from which on libc gives an object a mapping of its own, until it notices
    // that such objects are frequent.
    LARGE = 128 * 1024
};

// Zero memory.  Pages that are zero already are not written to: fresh ones cost nothing
// until then.
static void clear(char *memory, size_t size) {
    static const char zeros[HPS_TRACKER_ALIGNMENT];
    while (size > 0) {
        size_t part = size < sizeof zeros ? size : sizeof zeros;
        if (memcmp(memory, zeros, part) != 0) {
            memset(memory, 0, part);
        }
        memory += part;
        size -= part;
    }
}

// Allocate without sampling.
static void *allocate_plainly(struct hps_request request) {
    if (request.alignment > 0) {
        return hps_next.memalign(request.alignment, request.size);
    }
    return request.zeroed ? hps_next.calloc(1, request.size)
                          : hps_next.malloc(request.size);
}

// Allocate an object at an address that can be watched.  NULL if that is not possible.
static void *allocate_watched(struct hps_request request) {
    if (request.alignment > 0 && !hps_is_power_of_2(request.alignment)) {
        return NULL; // the next allocator decides how to fail
    }
    if (request.alignment == 0 && request.size >= LARGE) {
        // calloc() may know that fresh pages are zero.
        void *object = allocate_plainly(request);
        if (hps_tracker_can_watch(object)) {
            return object;
        }
        hps_next.free(object);
    }
    size_t alignment = request.alignment > HPS_TRACKER_ALIGNMENT ? request.alignment
                                                                 : HPS_TRACKER_ALIGNMENT;
    void *object = hps_next.memalign(alignment, request.size);
    if (object && request.zeroed) {
        clear(object, request.size);
    }
    return object;
}

// Find the next allocator at the first call.  Returns false while it is being found.
static bool has_next(void) {
    static bool looking;
    if (!hps_next.malloc && !looking) {
        looking = true; // no lock: no other thread exists before the first allocation
        hps_next_find();
    }
    return hps_next.malloc != NULL;
}

// Allocate provisional memory, and mark it so that hps_release() is called for it.
static void *allocate_provisionally(size_t size) {
    void *object = hps_next_provisional(size);
    if (object) {
        // The mark makes free() call hps_release().
        hps_objects_mark(&hps_tracker_objects, (uintptr_t)object, 1);
    }
    return object;
}

void *hps_allocate(struct hps_request request, const void *frame) {
    if (!has_next()) {
        return allocate_provisionally(request.size);
    }
    int error = errno;
    bool sampled = hps_tracker_samples(request.size);
    void *object = sampled ? allocate_watched(request) : NULL;
    if (!object) {
        errno = error;
        sampled = false;
        object = allocate_plainly(request);
    }
    if (object) {
        hps_tracker_add(object, request.size, sampled, frame);
    }
    return object;
}

// Move an object to an address that can be watched.  Returns false when out of memory; it
// stays then.
static bool move(void **object, size_t size) {
    if (hps_tracker_can_watch(*object)) {
        return true;
    }
    int error = errno;
    void *moved = hps_next.memalign(HPS_TRACKER_ALIGNMENT, size);
    if (!moved) {
        errno = error;
        return false;
    }
    memcpy(moved, *object, size);
    hps_next.free(*object);
    *object = moved;
    return true;
}

// Replace provisional memory by an ordinary object with the same content.
static void *leave_provisional(const void *object, size_t size, bool passes,
                               const void *frame) {
    size_t room = hps_next_provisional_room(object);
    void *moved = passes ? hps_next.malloc(size)
                         : hps_allocate((struct hps_request){.size = size}, frame);
    if (moved) {
        memcpy(moved, object, size < room ? size : room);
    }
    return moved;
}

void *hps_reallocate(void *object, size_t size, bool passes, const void *frame) {
    if (hps_next_provisional_room(object) > 0) {
        return leave_provisional(object, size, passes, frame);
    }
    bool sampled = !passes && hps_tracker_samples(size);
    struct hps_object before;
    bool known = hps_tracker_take(object, &before);
    void *result = hps_next.realloc(object, size);
    if (!result && size > 0) {
        if (known) {
            hps_tracker_restore(&before);
        }
        return NULL;
    }
    if (known) {
        hps_tracker_drop(&before);
    }
    if (result) { // NULL: the allocator freed an object of size 0
        sampled = sampled && move(&result, size);
        hps_tracker_add(result, size, sampled, frame);
    }
    return result;
}

void hps_release(void *object) {
    if (hps_next_provisional_room(object) == 0) {
        hps_tracker_forget(object);
        hps_next.free(object);
    }
}
