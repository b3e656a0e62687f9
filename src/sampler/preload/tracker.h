// What the preloaded library knows of the process: which objects were sampled, and in truth
// mode all of them, from where and by which thread.
//
// The interposed functions ask hps_tracker_passes() first, which costs a subtraction and a
// branch, and nothing else as long as it says so:
//
//     if (!hps_tracker_passes(size)) {
//         bool sampled = hps_tracker_samples(size);
//         ... allocate, sampled objects where hps_tracker_can_watch() them ...
//         hps_tracker_add(object, size, sampled, __builtin_frame_address(0));
//     }
//
// and before an object is freed
//
//     if (hps_tracker_watches(object)) {
//         hps_tracker_forget(object);
//     }
//
// Allocations that the tracker itself causes (the unwinder may) are not tracked.  errno stays
// as it is.
#ifndef HPS_PRELOAD_TRACKER_H
#define HPS_PRELOAD_TRACKER_H

#include "sampler/core/countdown.h"
#include "sampler/core/objects.h"
#include "sampler/core/usize.h"

// Sampled objects are at the beginning of a page, or 16 bytes after, where libc puts what it
// maps for a large object alone.
enum {
    HPS_TRACKER_ALIGNMENT = 4096,
    HPS_TRACKER_UNWATCHED = HPS_TRACKER_ALIGNMENT - 1 - 16,
};

extern __thread struct hps_countdown hps_tracker_gate
    __attribute__((tls_model("initial-exec")));
extern uintptr_t hps_tracker_unwatched; // no object with one of these bits is known
extern struct hps_objects hps_tracker_objects;

// A request of 2^63 bytes or more fails anyway, and must not count backward.
static inline bool hps_tracker_passes(size_t size) {
    return !hps_countdown_hits(&hps_tracker_gate, hps_usize(size) & INT64_MAX);
}

static inline bool hps_tracker_watches(const void *object) {
    return __builtin_expect(((uintptr_t)object & hps_tracker_unwatched) == 0, 0) &&
           hps_objects_may_have(&hps_tracker_objects, (uintptr_t)object);
}

static inline bool hps_tracker_can_watch(const void *object) {
    return ((uintptr_t)object & HPS_TRACKER_UNWATCHED) == 0;
}

// The decision about an object that did not pass; once for each.
bool hps_tracker_samples(size_t size);

void hps_tracker_add(const void *object, size_t size, bool sampled, const void *frame);
void hps_tracker_forget(const void *object);

// For realloc(): the object is out of the way of other threads, who may get its address, but
// counted until it is dropped.
bool hps_tracker_take(const void *object, struct hps_object *taken);
void hps_tracker_restore(const struct hps_object *taken);
void hps_tracker_drop(const struct hps_object *taken);

// For programs, which declare it themselves, best as a weak symbol: write a dump to NAME.heap,
// and in truth mode NAME.truth.heap, or with NULL to the next numbered name.  0, or -1 with
// errno.
int hprof_sampler_dump(const char *name) __attribute__((visibility("default")));

#endif
