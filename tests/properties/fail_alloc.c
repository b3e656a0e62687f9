// Preloaded: one allocation of the process fails, or all from one on.
//
//     FAIL_ALLOC=7  the seventh      FAIL_ALLOC=7+  the seventh and all behind it
//
// Without FAIL_ALLOC all succeed; FAIL_ALLOC_COUNT names a file that tells how many there were.
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static atomic_ulong number;

static bool fails(void) {
    unsigned long own = atomic_fetch_add(&number, 1) + 1, chosen = 0;
    const char *text = getenv("FAIL_ALLOC");
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

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("FAIL_ALLOC_COUNT");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    if (file >= 0) {
        dprintf(file, "%lu\n", atomic_load(&number));
        close(file);
    }
}
