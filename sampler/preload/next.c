#include "preload/next.h"

#include "preload/complain.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

// The initial free(), which is called with NULL only.
static void ignore(void *object) {
    (void)object; // NULL
}

struct hps_next hps_next = {.free = ignore};

// --- provisional memory -------------------------------------------------------------

enum {
    PAGE = 4096, // objects at the start of a page are watched when they are freed
    PAGES = 16,
};

// The provisional memory, and the number of its first pages that are used.
static alignas(PAGE) char provisional[PAGES][PAGE];
static size_t pages_used;

void *hps_next_provisional(size_t size) {
    size_t left = PAGES - pages_used;
    size_t pages = size > 0 ? (size - 1) / PAGE + 1 : 1;
    if (pages > left) {
        errno = ENOMEM;
        return NULL;
    }
    void *memory = provisional[pages_used];
    pages_used += pages;
    return memory;
}

size_t hps_next_provisional_room(const void *object) {
    size_t offset = (size_t)((const char *)object - provisional[0]);
    return offset < sizeof provisional ? sizeof provisional - offset : 0;
}

// --- symbols ------------------------------------------------------------------------

// Store the address of a function in the pointer at `function`.  It is copied, as ISO C
// has no cast from an object pointer to a function pointer.
static void find(void *function, const char *name) {
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol) {
        hps_complain("no allocator to stand in front of; there is no", name, NULL);
        abort();
    }
    memcpy(function, &symbol, sizeof symbol);
}

void hps_next_find(void) {
    struct hps_next next;
    find(&next.malloc, "malloc");
    find(&next.free, "free");
    find(&next.calloc, "calloc");
    find(&next.realloc, "realloc");
    find(&next.memalign, "memalign");
    find(&next.aligned_alloc, "aligned_alloc");
    find(&next.posix_memalign, "posix_memalign");
    hps_next = next;
}
