// A program that knows its own live memory.  It runs under an allocator that samples, and
// prints the true numbers, for comparison with the estimates from the dump at its end:
//
//     truth NAME SIZE LIVE-OBJECTS ALL-OBJECTS LINE
//
// SIZE is the usable size of each object; LINE is where NAME calls malloc.
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    THREADS = 4,
    SLOTS = 1 << 20
};

struct site {
    const char *name;
    void *(*allocate)(size_t size);
    int line;
    size_t size;
    unsigned live; // objects per thread that stay
    unsigned dead; // objects per thread that are freed before the end
};

// malloc() must not be the last thing a function does, or the function is not on the
// stack.
#define SITE(name)                                             \
    enum {                                                     \
        name##_line = __LINE__                                 \
    };                                                         \
    __attribute__((noinline)) static void *name(size_t size) { \
        void *volatile object = malloc(size);                  \
        return object;                                         \
    }

SITE(alloc_16)
SITE(alloc_48)
SITE(alloc_200)
SITE(alloc_1000)
SITE(alloc_4k)
SITE(alloc_20k)
SITE(alloc_100k)
SITE(alloc_1m)
SITE(alloc_8m)
SITE(churn_640)
SITE(freed_3000)

static const struct site sites[] = {
    {"alloc_16", alloc_16, alloc_16_line, 16, 100000, 0},
    {"alloc_48", alloc_48, alloc_48_line, 48, 40000, 1000},
    {"alloc_200", alloc_200, alloc_200_line, 200, 12000, 0},
    {"alloc_1000", alloc_1000, alloc_1000_line, 1000, 5000, 0},
    {"alloc_4k", alloc_4k, alloc_4k_line, 4096, 1200, 300},
    {"alloc_20k", alloc_20k, alloc_20k_line, 20000, 300, 0},
    {"alloc_100k", alloc_100k, alloc_100k_line, 100000, 80, 10},
    {"alloc_1m", alloc_1m, alloc_1m_line, 1 << 20, 10, 0},
    {"alloc_8m", alloc_8m, alloc_8m_line, 8 << 20, 2, 1},
    {"churn_640", churn_640, churn_640_line, 640, 6000, 60000},
    {"freed_3000", freed_3000, freed_3000_line, 3000, 0, 8000},
};

enum {
    SITES = sizeof sites / sizeof *sites
};

// The live objects of each thread, in mapped memory that the allocator does not see.
static void **kept[THREADS];
static size_t usable[SITES];

// Keep site->live objects; free the others, each a little later than it was made.
__attribute__((noinline)) static void **exercise(const struct site *site, void **keep) {
    void *late[64] = {0};
    unsigned live = site->live, dead = site->dead;
    for (unsigned i = 0; live + dead > 0; i++) {
        void *object = site->allocate(site->size);
        if (!object)
            abort();
        usable[site - sites] = malloc_usable_size(object);
        // Spread the ones to keep evenly among the others.
        if ((unsigned long)live * (site->dead + 1) >=
            (unsigned long)dead * (site->live + 1)) {
            *keep++ = object;
            live--;
        } else {
            free(late[i % 64]);
            late[i % 64] = object;
            dead--;
        }
    }
    for (unsigned i = 0; i < 64; i++)
        free(late[i]);
    return keep;
}

static void *work(void *arg) {
    void **keep = arg;
    for (int i = 0; i < SITES; i++)
        keep = exercise(&sites[i], keep);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        kept[i] = mmap(NULL, SLOTS * sizeof(void *), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (kept[i] == MAP_FAILED || pthread_create(&threads[i], NULL, work, kept[i]))
            abort();
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SITES; i++)
        printf("truth %s %zu %u %u %d\n", sites[i].name, usable[i],
               THREADS * sites[i].live, THREADS * (sites[i].live + sites[i].dead),
               sites[i].line);
    return 0;
}
