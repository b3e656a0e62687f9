// The interposed operators new and delete of C++, under their mangled names.
//
// A program may replace the simplest operators and expect the others to call them, as the
// C++ standard says.  Therefore the others call the simple operators by name, whichever
// the dynamic linker finds.  When memory runs out, the operators of the next library are
// called: they call the new_handler and throw.
#include "preload/allocate.h"
#include "preload/complain.h"
#include "preload/next.h"
#include "preload/tracker.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))
#define APART    static __attribute__((noinline))

struct nothrow; // std::nothrow_t

// --- running out of memory ----------------------------------------------------------

// Store the address of the next operator in the pointer at `function`.  It is copied, as
// ISO C has no cast from an object pointer to a function pointer.
static void find(void *function, const char *name) {
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol) {
        hps_complain("there is no C++ library with", name, NULL);
        abort();
    }
    memcpy(function, &symbol, sizeof symbol);
}

// Call the next operator.  One without the last argument ignores it.
APART void *next_new(const char *name, size_t size, const struct nothrow *nothrow) {
    void *(*next)(size_t, const struct nothrow *);
    find(&next, name);
    return next(size, nothrow);
}

APART void *next_new_aligned(const char *name, size_t size, size_t alignment,
                             const struct nothrow *nothrow) {
    void *(*next)(size_t, size_t, const struct nothrow *);
    find(&next, name);
    return next(size, alignment, nothrow);
}

// --- memory -------------------------------------------------------------------------

// Allocate if the request did not pass.  Functions APART have a frame of their own, for
// the unwinder.
APART void *allocate_apart(size_t size) {
    return hps_allocate((struct hps_request){.size = size}, __builtin_frame_address(0));
}

static inline void *allocate(size_t size) {
    return hps_tracker_passes(size) ? hps_next.malloc(size) : allocate_apart(size);
}

APART void *allocate_aligned_apart(size_t size, size_t alignment) {
    return hps_allocate((struct hps_request){.size = size, .alignment = alignment},
                        __builtin_frame_address(0));
}

static inline void *allocate_aligned(size_t size, size_t alignment) {
    return hps_tracker_passes(size) ? hps_next.memalign(alignment, size)
                                    : allocate_aligned_apart(size, alignment);
}

// Free an object, and report it if it may be recorded.
static inline void release(void *object) {
    if (hps_tracker_watches(object)) {
        hps_release(object);
    } else {
        hps_next.free(object);
    }
}

// --- new ----------------------------------------------------------------------------

EXPORTED void *_Znwm(size_t size);
EXPORTED void *_Znam(size_t size);
EXPORTED void *_ZnwmRKSt9nothrow_t(size_t size, const struct nothrow *nothrow);
EXPORTED void *_ZnamRKSt9nothrow_t(size_t size, const struct nothrow *nothrow);
EXPORTED void *_ZnwmSt11align_val_t(size_t size, size_t alignment);
EXPORTED void *_ZnamSt11align_val_t(size_t size, size_t alignment);
EXPORTED void *_ZnwmSt11align_val_tRKSt9nothrow_t(size_t size, size_t alignment,
                                                  const struct nothrow *nothrow);
EXPORTED void *_ZnamSt11align_val_tRKSt9nothrow_t(size_t size, size_t alignment,
                                                  const struct nothrow *nothrow);

// Names for the operators of this library, even if the program replaces the interposed
// ones.
void *hps_operator_new(size_t size) __attribute__((alias("_Znwm")));
void *hps_operator_new_aligned(size_t size, size_t alignment)
    __attribute__((alias("_ZnwmSt11align_val_t")));

EXPORTED void *_Znwm(size_t size) {
    void *object = allocate(size);
    return object ? object : next_new("_Znwm", size, NULL);
}

EXPORTED void *_Znam(size_t size) {
    return _Znwm(size);
}

EXPORTED void *_ZnwmRKSt9nothrow_t(size_t size, const struct nothrow *nothrow) {
    void *object = _Znwm == hps_operator_new ? allocate(size) : NULL;
    return object ? object : next_new("_ZnwmRKSt9nothrow_t", size, nothrow);
}

EXPORTED void *_ZnamRKSt9nothrow_t(size_t size, const struct nothrow *nothrow) {
    return _ZnwmRKSt9nothrow_t(size, nothrow);
}

EXPORTED void *_ZnwmSt11align_val_t(size_t size, size_t alignment) {
    void *object = allocate_aligned(size, alignment);
    return object ? object
                  : next_new_aligned("_ZnwmSt11align_val_t", size, alignment, NULL);
}

EXPORTED void *_ZnamSt11align_val_t(size_t size, size_t alignment) {
    return _ZnwmSt11align_val_t(size, alignment);
}

EXPORTED void *_ZnwmSt11align_val_tRKSt9nothrow_t(size_t size, size_t alignment,
                                                  const struct nothrow *nothrow) {
    void *object = _ZnwmSt11align_val_t == hps_operator_new_aligned
                       ? allocate_aligned(size, alignment)
                       : NULL;
    return object ? object
                  : next_new_aligned("_ZnwmSt11align_val_tRKSt9nothrow_t", size,
                                     alignment, nothrow);
}

EXPORTED void *_ZnamSt11align_val_tRKSt9nothrow_t(size_t size, size_t alignment,
                                                  const struct nothrow *nothrow) {
    return _ZnwmSt11align_val_tRKSt9nothrow_t(size, alignment, nothrow);
}

// --- delete -------------------------------------------------------------------------

EXPORTED void _ZdlPv(void *object);
EXPORTED void _ZdlPvSt11align_val_t(void *object, size_t alignment);
EXPORTED void _ZdaPv(void *object);
EXPORTED void _ZdlPvm(void *object, size_t size);
EXPORTED void _ZdaPvm(void *object, size_t size);
EXPORTED void _ZdlPvRKSt9nothrow_t(void *object, const struct nothrow *nothrow);
EXPORTED void _ZdaPvRKSt9nothrow_t(void *object, const struct nothrow *nothrow);
EXPORTED void _ZdaPvSt11align_val_t(void *object, size_t alignment);
EXPORTED void _ZdlPvmSt11align_val_t(void *object, size_t size, size_t alignment);
EXPORTED void _ZdaPvmSt11align_val_t(void *object, size_t size, size_t alignment);
EXPORTED void _ZdlPvSt11align_val_tRKSt9nothrow_t(void *object, size_t alignment,
                                                  const struct nothrow *nothrow);
EXPORTED void _ZdaPvSt11align_val_tRKSt9nothrow_t(void *object, size_t alignment,
                                                  const struct nothrow *nothrow);

EXPORTED void _ZdlPv(void *object) {
    release(object);
}

EXPORTED void _ZdlPvSt11align_val_t(void *object, size_t alignment) {
    (void)alignment;
    release(object);
}

EXPORTED void _ZdaPv(void *object) {
    _ZdlPv(object);
}

EXPORTED void _ZdlPvm(void *object, size_t size) {
    (void)size;
    _ZdlPv(object);
}

EXPORTED void _ZdaPvm(void *object, size_t size) {
    (void)size;
    _ZdaPv(object);
}

EXPORTED void _ZdlPvRKSt9nothrow_t(void *object, const struct nothrow *nothrow) {
    (void)nothrow;
    _ZdlPv(object);
}

EXPORTED void _ZdaPvRKSt9nothrow_t(void *object, const struct nothrow *nothrow) {
    (void)nothrow;
    _ZdaPv(object);
}

EXPORTED void _ZdaPvSt11align_val_t(void *object, size_t alignment) {
    _ZdlPvSt11align_val_t(object, alignment);
}

EXPORTED void _ZdlPvmSt11align_val_t(void *object, size_t size, size_t alignment) {
    (void)size;
    _ZdlPvSt11align_val_t(object, alignment);
}

EXPORTED void _ZdaPvmSt11align_val_t(void *object, size_t size, size_t alignment) {
    (void)size;
    _ZdaPvSt11align_val_t(object, alignment);
}

EXPORTED void _ZdlPvSt11align_val_tRKSt9nothrow_t(void *object, size_t alignment,
                                                  const struct nothrow *nothrow) {
    (void)nothrow;
    _ZdlPvSt11align_val_t(object, alignment);
}

EXPORTED void _ZdaPvSt11align_val_tRKSt9nothrow_t(void *object, size_t alignment,
                                                  const struct nothrow *nothrow) {
    (void)nothrow;
    _ZdaPvSt11align_val_t(object, alignment);
}
