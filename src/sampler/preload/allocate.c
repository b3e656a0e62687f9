#include "sampler/preload/allocate.h"

#include "sampler/preload/next.h"
#include "sampler/preload/tracker.h"

#include <errno.h>
#include <string.h>

enum {
    LARGE = 128 * 1024
}; // libc maps such objects, until it learns that they come often

// Zero memory that may be fresh from the system, whose pages cost nothing until written to.
static void clear(char *memory, size_t size) {
    static const char zeros[HP_TRACKER_ALIGNMENT];
    while (size > 0) {
        size_t part = size < sizeof zeros ? size : sizeof zeros;
        if (memcmp(memory, zeros, part) != 0) {
            memset(memory, 0, part);
        }
        memory += part;
        size -= part;
    }
}

static void *allocate_plainly(struct hp_request request) {
    if (request.alignment > 0) {
        return hp_next.memalign(request.alignment, request.size);
    }
    return request.zeroed ? hp_next.calloc(1, request.size)
                          : hp_next.malloc(request.size);
}

// NULL if that is not possible.
static void *allocate_watched(struct hp_request request) {
    if (request.alignment > 0 && !hp_is_power_of_2(request.alignment)) {
        return NULL; // what happens then is for the next allocator to say
    }
    if (request.alignment == 0 && request.size >= LARGE) {
        void *object = allocate_plainly(request); // perhaps zeroed without being touched
        if (hp_tracker_can_watch(object)) {
            return object;
        }
        hp_next.free(object);
    }
    size_t alignment = request.alignment > HP_TRACKER_ALIGNMENT ? request.alignment
                                                                : HP_TRACKER_ALIGNMENT;
    void *object = hp_next.memalign(alignment, request.size);
    if (object && request.zeroed) {
        clear(object, request.size);
    }
    return object;
}

// False while it is being looked for.
static bool has_next(void) {
    static bool looking;
    if (!hp_next.malloc && !looking) {
        looking = true; // nobody starts threads without having allocated memory
        hp_next_find();
    }
    return hp_next.malloc != NULL;
}

static void *allocate_provisionally(size_t size) {
    void *object = hp_next_provisional(size);
    if (object) {
        hp_objects_mark(&hp_tracker_objects, (uintptr_t)object,
                        1); // to be seen when freed
    }
    return object;
}

void *hp_allocate(struct hp_request request, const void *frame) {
    if (!has_next()) {
        return allocate_provisionally(request.size);
    }
    int error = errno;
    bool sampled = hp_tracker_samples(request.size);
    void *object = sampled ? allocate_watched(request) : NULL;
    if (!object) {
        errno = error;
        sampled = false;
        object = allocate_plainly(request);
    }
    if (object) {
        hp_tracker_add(object, request.size, sampled, frame);
    }
    return object;
}

// Move an object to where it is seen when it is freed; false without memory.
static bool move(void **object, size_t size) {
    if (hp_tracker_can_watch(*object)) {
        return true;
    }
    int error = errno;
    void *moved = hp_next.memalign(HP_TRACKER_ALIGNMENT, size);
    if (!moved) {
        errno = error;
        return false;
    }
    memcpy(moved, *object, size);
    hp_next.free(*object);
    *object = moved;
    return true;
}

static void *leave_provisional(const void *object, size_t size, bool passes,
                               const void *frame) {
    size_t room = hp_next_provisional_room(object);
    void *moved = passes ? hp_next.malloc(size)
                         : hp_allocate((struct hp_request){.size = size}, frame);
    if (moved) {
        memcpy(moved, object, size < room ? size : room);
    }
    return moved;
}

void *hp_reallocate(void *object, size_t size, bool passes, const void *frame) {
    if (hp_next_provisional_room(object) > 0) {
        return leave_provisional(object, size, passes, frame);
    }
    bool sampled = !passes && hp_tracker_samples(size);
    struct hp_object before;
    bool known = hp_tracker_take(object, &before);
    void *result = hp_next.realloc(object, size);
    if (!result && size > 0) {
        if (known) {
            hp_tracker_restore(&before);
        }
        return NULL;
    }
    if (known) {
        hp_tracker_drop(&before);
    }
    if (result) { // not NULL: an allocator that keeps objects of size 0
        sampled = sampled && move(&result, size);
        hp_tracker_add(result, size, sampled, frame);
    }
    return result;
}

void hp_release(void *object) {
    if (hp_next_provisional_room(object) == 0) {
        hp_tracker_forget(object);
        hp_next.free(object);
    }
}
