// A program that knows its own live memory at two moments, and lets jemalloc write a dump
// at each: PREFIX.1 and PREFIX.2.  It prints a line for each kind of objects:
//
//     truth NAME SIZE OBJECTS-1 OBJECTS-2
//
// NAME is the function that allocates; one function may allocate two sizes.  Sizes and
// amounts are multiples of the sample period R, so that a dump has about the same number
// of samples for any R.
//
// usage: MALLOC_CONF=prof:true,lg_prof_sample:LG holdout_alloc LG PREFIX
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    THREADS = 3,
    MOMENTS = 2,
    MAX_OBJECTS = 1 << 19,
};

// malloc() must not be the last thing a function does, or the function is not on the
// stack.
#define SITE(name)                                             \
    __attribute__((noinline)) static void *name(size_t size) { \
        void *volatile object = malloc(size);                  \
        return object;                                         \
    }

SITE(alloc_16)
SITE(alloc_48)
SITE(alloc_640)
SITE(alloc_few)
SITE(alloc_quarter_r)
SITE(alloc_r)
SITE(alloc_three_halves_r)
SITE(alloc_4r)
SITE(alloc_mixed)

struct object_kind {
    const char *name;
    void *(*allocate)(size_t size);
    unsigned bytes;         // size of an object, or 0:
    unsigned quarters;      // size of an object in quarters of R
    unsigned made[MOMENTS]; // bytes allocated before each moment, in units of R
};

// Half of the objects that are live at the first moment are freed before the second.
static const struct object_kind kinds[] = {
    {"alloc_16", alloc_16, 16, 0, {20, 5}},
    {"alloc_48", alloc_48, 48, 0, {40, 60}},
    {"alloc_640", alloc_640, 640, 0, {5, 2}},
    {"alloc_few", alloc_few, 224, 0, {1, 1}},
    {"alloc_quarter_r", alloc_quarter_r, 0, 1, {12, 6}},
    {"alloc_r", alloc_r, 0, 4, {10, 20}},
    {"alloc_three_halves_r", alloc_three_halves_r, 0, 6, {15, 6}},
    {"alloc_4r", alloc_4r, 0, 16, {40, 20}},
    {"alloc_mixed", alloc_mixed, 16, 0, {10, 10}},
    {"alloc_mixed", alloc_mixed, 0, 8, {10, 10}},
};

enum {
    KINDS = sizeof kinds / sizeof *kinds
};

static size_t period;
static pthread_barrier_t done, dumped;

// The objects, in static memory that is not sampled.  Object i of a kind was allocated by
// thread i % THREADS.
static void *kept[KINDS][MAX_OBJECTS];
static size_t counts[KINDS][MOMENTS]; // made before each moment
static size_t live[KINDS][MOMENTS];

static size_t size_of(const struct object_kind *kind) {
    return kind->quarters ? kind->quarters * period / 4 : kind->bytes;
}

// Free half of the objects that another thread allocated before the first moment.
static void free_some(size_t kind, size_t thread) {
    for (size_t i = (thread + 1) % THREADS; i < counts[kind][0]; i += THREADS) {
        if (i % 2) {
            free(kept[kind][i]);
        }
    }
}

static void make(const struct object_kind *kind, void **objects, size_t count,
                 size_t thread) {
    for (size_t i = thread; i < count; i += THREADS) {
        objects[i] = kind->allocate(size_of(kind));
        if (i % 4 == 0) {
            free(kind->allocate(size_of(kind)));
        }
    }
}

// Threads run through both moments: jemalloc seeds the random numbers of a thread with an
// address that the next thread gets when this one ends, so that new threads at the second
// moment would sample like those at the first.
static void *work(void *argument) {
    size_t thread = (uintptr_t)argument;
    for (int moment = 0; moment < MOMENTS; moment++) {
        for (size_t i = 0; i < KINDS; i++) {
            if (moment == 1) {
                free_some(i, thread);
            }
            void **objects = kept[i] + (moment == 1 ? counts[i][0] : 0);
            make(&kinds[i], objects, counts[i][moment], thread);
        }
        pthread_barrier_wait(&done);
        pthread_barrier_wait(&dumped);
    }
    return NULL;
}

static void count_kind(size_t i) {
    for (int at = 0; at < MOMENTS; at++) {
        counts[i][at] = kinds[i].made[at] * period / size_of(&kinds[i]);
    }
    live[i][0] = counts[i][0];
    live[i][1] = (counts[i][0] + 1) / 2 + counts[i][1];
    if (counts[i][0] + counts[i][1] > MAX_OBJECTS) {
        abort();
    }
}

static void dump(const char *prefix, int moment) {
    int (*mallctl)(const char *, void *, size_t *, void *, size_t);
    void *symbol = dlsym(RTLD_DEFAULT, "mallctl");
    memcpy(&mallctl, &symbol, sizeof symbol);
    static char name[4096];
    snprintf(name, sizeof name, "%s.%d", prefix, moment + 1);
    const char *path = name;
    if (!symbol || mallctl("prof.dump", NULL, NULL, &path, sizeof path)) {
        abort();
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        return 2;
    }
    period = (size_t)1 << atoi(argv[1]);
    for (size_t i = 0; i < KINDS; i++) {
        count_kind(i);
    }
    pthread_t threads[THREADS];
    if (pthread_barrier_init(&done, NULL, THREADS + 1) ||
        pthread_barrier_init(&dumped, NULL, THREADS + 1)) {
        abort();
    }
    for (uintptr_t i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, work, (void *)i)) {
            abort();
        }
    }
    for (int moment = 0; moment < MOMENTS; moment++) {
        pthread_barrier_wait(&done);
        dump(argv[2], moment);
        pthread_barrier_wait(&dumped);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (size_t i = 0; i < KINDS; i++) {
        printf("truth %s %zu %zu %zu\n", kinds[i].name, size_of(&kinds[i]), live[i][0],
               live[i][1]);
    }
    return 0;
}
