// A preloaded library that lets one allocation of the process fail, or all from one on.
//
//     FAIL_ALLOC=7  the seventh      FAIL_ALLOC=7+  the seventh and all after it
//
// FAIL_ALLOC_CHILD is the same for the allocations of all processes that are forked from
// this one, counted together, instead of its own.  Without either, all allocations
// succeed.  At exit the numbers of both kinds are written to the file that
// FAIL_ALLOC_COUNT names.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

struct counts {
    atomic_ulong own, children;
};

static struct counts before; // used until shared memory is set up
static struct counts *counts = &before;
static bool is_child;

static bool fails(void) {
    unsigned long chosen = 0;
    unsigned long own =
        atomic_fetch_add(is_child ? &counts->children : &counts->own, 1) + 1;
    const char *text = getenv(is_child ? "FAIL_ALLOC_CHILD" : "FAIL_ALLOC");
    while (text && *text >= '0' && *text <= '9') {
        chosen = chosen * 10 + (unsigned long)(*text++ - '0');
    }
    bool is_failure = chosen > 0 && (own == chosen || (own > chosen && *text == '+'));
    errno = is_failure ? ENOMEM : errno;
    return is_failure;
}

void *malloc(size_t size) {
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    return fails() ? NULL : __libc_realloc(old, size);
}

static void in_child(void) {
    is_child = true;
}

__attribute__((constructor)) static void share(void) {
    struct counts *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared != MAP_FAILED && pthread_atfork(NULL, NULL, in_child) == 0) {
        atomic_store(&shared->own, atomic_load(&counts->own));
        counts = shared;
    }
}

__attribute__((destructor)) static void write_counts(void) {
    const char *path = getenv("FAIL_ALLOC_COUNT");
    int file = path && !is_child
                   ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)
                   : -1;
    if (file >= 0) {
        dprintf(file, "%lu %lu\n", atomic_load(&counts->own),
                atomic_load(&counts->children));
        close(file);
    }
}
