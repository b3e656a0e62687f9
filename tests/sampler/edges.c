// Checks the promises of malloc() and its relatives in extreme cases, and prints a line
// for each.
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile size_t huge = SIZE_MAX; // volatile, so that the compiler does not warn

static void report(const char *what, int good) {
    printf("%s: %s\n", what, good ? "yes" : "NO");
}

static void overflows(void) {
    errno = 0;
    report("calloc() fails on overflow", !calloc(huge / 2, 3) && errno == ENOMEM);
    errno = 0;
    report("reallocarray() fails on overflow",
           !reallocarray(NULL, huge / 2, 3) && errno == ENOMEM);
    errno = 0;
    report("pvalloc() fails on overflow", !pvalloc(huge - 5) && errno == ENOMEM);
    for (int bit = 46; bit < 64; bit++) {
        errno = 0;
        size_t size = huge / 2 + 1 + ((size_t)1 << bit) - 1;
        if (malloc(size) || errno != ENOMEM) {
            printf("malloc(%zu) does not fail\n", size);
        }
        if (memalign(64, size)) {
            printf("memalign(64, %zu) does not fail\n", size);
        }
    }
    report("malloc() of all memory fails", !malloc(huge) && !malloc(huge - 4096));
}

static void alignments(void) {
    void *p = NULL, *before = &p;
    p = before;
    report("posix_memalign() refuses 0", posix_memalign(&p, 0, 10) == EINVAL);
    report("posix_memalign() refuses 4", posix_memalign(&p, 4, 10) == EINVAL);
    report("posix_memalign() refuses 24", posix_memalign(&p, 24, 10) == EINVAL);
    report("posix_memalign() refuses too much",
           posix_memalign(&p, 64, huge / 2) == ENOMEM);
    report("posix_memalign() then leaves the pointer", p == before);
    int good = 1;
    for (size_t alignment = 8; alignment <= 1 << 21; alignment *= 2) {
        good &= posix_memalign(&p, alignment, 100) == 0 && (uintptr_t)p % alignment == 0;
        free(p);
        p = memalign(alignment, 100);
        good &= p && (uintptr_t)p % alignment == 0;
        free(p);
    }
    report("all alignments up to 2 MiB are kept", good);
}

static void sizes(void) {
    int usable = 1, zeroed = 1, kept = 1;
    for (size_t size = 0; size < 3000; size += 7) {
        unsigned char *p = malloc(size);
        usable &= p && malloc_usable_size(p) >= size;
        memset(p, 0xaa, malloc_usable_size(p));
        free(p);
        p = calloc(1, size);
        for (size_t i = 0; i < size; i++) {
            zeroed &= p[i] == 0;
            p[i] = (unsigned char)i;
        }
        p = realloc(p, 3 * size + 1);
        for (size_t i = 0; i < size; i++) {
            kept &= p[i] == (unsigned char)i;
        }
        p = realloc(p, size / 2 + 1);
        for (size_t i = 0; i < size / 2; i++) {
            kept &= p[i] == (unsigned char)i;
        }
        kept &= !realloc(p, huge / 2); // p stays
        for (size_t i = 0; i < size / 2; i++) {
            kept &= p[i] == (unsigned char)i;
        }
        free(p);
    }
    report("the usable size is large enough", usable);
    report("calloc() clears", zeroed);
    report("realloc() keeps the contents", kept);
    void *p = malloc(0), *q = malloc(0);
    report("malloc(0) gives different objects", p && q && p != q);
    free(q);
    report("realloc(p, 0) frees", !realloc(p, 0));
    p = realloc(NULL, 100);
    report("realloc(NULL, n) allocates", p != NULL);
    free(p);
    free(NULL);
}

// Check that calloc() does not touch the memory that it returns: on small machines it
// would not fit.
static void sparse(void) {
    size_t size = (size_t)1 << 30;
    unsigned char *p = calloc(1, size);
    report("calloc() of 1 GiB is zero at the ends", p && p[0] == 0 && p[size - 1] == 0);
    long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    report("calloc() of 1 GiB takes no such memory",
           file && fscanf(file, "%ld %ld", &total, &resident) == 2 && resident < 65536);
    fclose(file);
    free(p);
}

__attribute__((noinline)) static void *after_all(size_t size) {
    void *p = malloc(size);
    return p;
}

int main(void) {
    overflows();
    alignments();
    sizes();
    sparse();
    errno = 55;
    void *p = malloc(10);
    free(p);
    report("errno stays", errno == 55);
    // Sampling goes on after all these failures.
    static void *live[1000];
    for (int i = 0; i < 1000; i++) {
        live[i] = after_all(16384);
    }
    report("memory is left", live[999] != NULL);
    return 0;
}
