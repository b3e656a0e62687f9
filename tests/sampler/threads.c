// Threads that allocate with every function, hand objects to each other, resize and free
// them.  They end, and new ones begin, GENERATIONS times.  At the end the program prints
// a line for each live object, with the function that allocated it and its size.
//
// usage: threads THREADS ROUNDS SEED GENERATIONS
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 4096
};

struct counted_object {
    uint32_t site;
    uint32_t size;
    unsigned char bytes[]; // each is the lowest byte of `size`
};

static _Atomic(struct counted_object *) slots[SLOTS];

static void die(const char *what) {
    fprintf(stderr, "%s\n", what);
    abort();
}

static void fill(struct counted_object *object, uint32_t site, size_t size) {
    object->site = site;
    object->size = (uint32_t)size;
    memset(object->bytes, (int)(size & 0xff), size - sizeof *object);
}

static void check(const struct counted_object *object, size_t size) {
    for (size_t i = 0; i < size - sizeof *object; i++) {
        if (object->bytes[i] != (object->size & 0xff)) {
            die("an object has changed");
        }
    }
}

#define SITE(name) __attribute__((noinline)) static void *name(size_t size)

SITE(by_malloc) {
    void *p = malloc(size);
    return p;
}

SITE(by_calloc) {
    unsigned char *p = calloc(size, 1);
    for (size_t i = 0; i < size; i++) {
        if (p[i] != 0) {
            die("calloc() did not clear");
        }
    }
    return p;
}

SITE(by_memalign) {
    void *p = memalign(64, size);
    if ((uintptr_t)p % 64) {
        die("not aligned to 64");
    }
    return p;
}

SITE(by_aligned_alloc) {
    void *p = aligned_alloc(8192, size);
    if ((uintptr_t)p % 8192) {
        die("not aligned to 8192");
    }
    return p;
}

SITE(by_posix_memalign) {
    void *p;
    if (posix_memalign(&p, 256, size) != 0 || (uintptr_t)p % 256) {
        die("not aligned to 256");
    }
    return p;
}

SITE(by_valloc) {
    void *p = valloc(size);
    return p;
}

static void *(*const sites[])(size_t) = {
    by_malloc,         by_malloc,   by_malloc, by_malloc, by_calloc,        by_calloc,
    by_posix_memalign, by_memalign, by_malloc, by_calloc, by_aligned_alloc, by_valloc,
};

enum {
    SITES = sizeof sites / sizeof sites[0],
    REALLOC = SITES,
    REALLOCARRAY
};

__attribute__((noinline)) static void *by_realloc(void *old, size_t size) {
    void *p = realloc(old, size);
    return p;
}

__attribute__((noinline)) static void *by_reallocarray(void *old, size_t size) {
    void *p = reallocarray(old, 1, size);
    return p;
}

static struct counted_object *resize(struct counted_object *object, size_t size,
                                     int as_array) {
    size_t kept = object->size < size ? object->size : size;
    object = as_array ? by_reallocarray(object, size) : by_realloc(object, size);
    check(object, kept);
    fill(object, as_array ? REALLOCARRAY : REALLOC, size);
    return object;
}

static uint64_t next(uint64_t *state) {
    *state = *state * 6364136223846793005 + 1442695040888963407;
    return *state >> 33;
}

static unsigned long rounds;

static void *work(void *seed) {
    uint64_t state = (uintptr_t)seed;
    for (unsigned long i = 0; i < rounds; i++) {
        uint32_t site = (uint32_t)(next(&state) % SITES);
        size_t size = sizeof(struct counted_object) +
                      next(&state) % (next(&state) % 50 ? 300 : 9000);
        struct counted_object *object = sites[site](size);
        fill(object, site, size);
        object = atomic_exchange(&slots[next(&state) % SLOTS], object);
        if (!object) {
            continue;
        }
        check(object, object->size);
        uint64_t what = next(&state) % 8;
        if (what < 2) {
            object = resize(object, sizeof *object + next(&state) % 1000, what == 1);
            object = atomic_exchange(&slots[next(&state) % SLOTS], object);
        }
        free(object);
    }
    return NULL;
}

static void print_live(void) {
    static const char *const extra[] = {"by_realloc", "by_reallocarray"};

    static const struct {
        void *(*site)(size_t);
        const char *name;
    } names[] = {
        {by_malloc, "by_malloc"},
        {by_calloc, "by_calloc"},
        {by_memalign, "by_memalign"},
        {by_aligned_alloc, "by_aligned_alloc"},
        {by_posix_memalign, "by_posix_memalign"},
        {by_valloc, "by_valloc"},
    };

    for (size_t i = 0; i < SLOTS; i++) {
        struct counted_object *object = atomic_load(&slots[i]);
        if (object && object->site >= REALLOC) {
            printf("live %s %u\n", extra[object->site - REALLOC], object->size);
        }
        for (size_t n = 0; object && n < sizeof names / sizeof names[0]; n++) {
            if (object->site < REALLOC && names[n].site == sites[object->site]) {
                printf("live %s %u\n", names[n].name, object->size);
            }
        }
    }
}

int main(int argc, char **argv) {
    int count = argc > 4 ? atoi(argv[1]) : 0;
    rounds = argc > 4 ? strtoul(argv[2], NULL, 10) : 0;
    uintptr_t seed = argc > 4 ? strtoul(argv[3], NULL, 10) * 1000000 : 0;
    static pthread_t threads[1024];
    for (int generation = 0; argc > 4 && generation < atoi(argv[4]); generation++) {
        for (int i = 0; i < count; i++) {
            pthread_create(&threads[i], NULL, work, (void *)++seed);
        }
        for (int i = 0; i < count; i++) {
            pthread_join(threads[i], NULL);
        }
    }
    print_live();
    return 0;
}
