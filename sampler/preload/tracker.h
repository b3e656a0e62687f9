// The state of the preloaded library: which objects were sampled (in truth mode also all
// objects), at which stack, and by which thread.  A map of this folder:
//
// - wrapper.c and operators.c are the interposed functions of C and C++.  allocate.h does
//   their work if a request cannot be passed to the next allocator, which next.h finds.
// - tracker.h decides which objects are sampled, records them, and writes dumps at exit,
//   on a signal or on request; dumpfile.h writes the files.
// - unwind.h takes stacks; lock.h is the lock around the tables; preferences.h reads the
//   settings; complain.h prints messages.
//
// The interposed functions call hps_tracker_passes() first.  It costs a subtraction and a
// branch, and nothing else happens as long as it returns true:
//
//     if (!hps_tracker_passes(size)) {
//         bool sampled = hps_tracker_samples(size);
//         ... allocate, sampled objects where hps_tracker_can_watch() them ...
//         hps_tracker_add(object, size, sampled, __builtin_frame_address(0));
//     }
//
// Before an object is freed:
//
//     if (hps_tracker_watches(object)) {
//         hps_tracker_forget(object);
//     }
//
// Invariants: allocations that the tracker itself causes, as the unwinder may, are not
// tracked.  No function changes errno.  Nothing calls malloc() while the lock is held.
//
// Read wrapper.c, allocate.c and tracker.c in this order.
#ifndef HPS_PRELOAD_TRACKER_H
#define HPS_PRELOAD_TRACKER_H

#include "core/countdown.h"
#include "core/objects.h"
#include "core/usize.h"

// Sampled objects are placed at the beginning of a page, or 16 bytes after, which is
// where libc puts a large object in a mapping of its own.  The address therefore shows
// that an object cannot be a sampled one.
enum {
    HPS_TRACKER_ALIGNMENT = 4096,
    HPS_TRACKER_UNWATCHED = HPS_TRACKER_ALIGNMENT - 1 - 16,
};

// The countdown to the next sample of this thread; 0 sends every allocation to
// hps_tracker_samples().
extern __thread struct hps_countdown hps_tracker_gate
    __attribute__((tls_model("initial-exec")));
// No object with one of these bits in its address is recorded; 0 in truth mode.
extern uintptr_t hps_tracker_unwatched;
// The recorded objects; the lock in tracker.c guards them.
extern struct hps_objects hps_tracker_objects;

// Count an allocation.  Returns true if it is certainly not sampled.  A request of 2^63
// bytes or more fails anyway; masking keeps it from counting backward.
static inline bool hps_tracker_passes(size_t size) {
    return !hps_countdown_hits(&hps_tracker_gate, hps_usize(size) & INT64_MAX);
}

// Whether the object may be recorded, so that freeing it has to be reported.
static inline bool hps_tracker_watches(const void *object) {
    return __builtin_expect(((uintptr_t)object & hps_tracker_unwatched) == 0, 0) &&
           hps_objects_may_have(&hps_tracker_objects, (uintptr_t)object);
}

// Whether a sampled object may have this address.
static inline bool hps_tracker_can_watch(const void *object) {
    return ((uintptr_t)object & HPS_TRACKER_UNWATCHED) == 0;
}

// Decide whether an object that did not pass is sampled.  Call it once for each.
bool hps_tracker_samples(size_t size);

// Record an object if it is sampled or in truth mode, with the stack that `frame` leads
// to.
void hps_tracker_add(const void *object, size_t size, bool sampled, const void *frame);

// Count an object as freed and remove it; does nothing if it is not recorded.
void hps_tracker_forget(const void *object);

// For realloc(): remove the object from the table, since another thread may get its
// address; it is still counted as live.  Afterwards restore it (realloc() failed) or drop
// it.  Returns false if it is not recorded.
bool hps_tracker_take(const void *object, struct hps_object *taken);
void hps_tracker_restore(const struct hps_object *taken);
void hps_tracker_drop(const struct hps_object *taken);

// Write a dump to NAME.heap, and in truth mode also to NAME.truth.heap; with NULL to the
// next numbered name.  Programs declare this function themselves, best as a weak symbol.
// Returns 0, or -1 with errno.
int hprof_sampler_dump(const char *name) __attribute__((visibility("default")));

// Write a dump of the sampled objects to an open file, whose contents are replaced by the
// caller.  Threads of the program may wait meanwhile, so the file should be in memory.
// Returns 0, or -1 with errno.
int hprof_sampler_dump_fd(int fd) __attribute__((visibility("default")));

#endif
