// Allocation and little else, for bench/sampler.
//
//     pairs   malloc() and free() of the same small object at once: what an allocator does best
//     mixed   100,000 live objects, of which a random one is replaced: most up to 512 bytes, some
//             up to 32 KiB, one in eight by realloc(); each is written to at both ends
//
// usage: sampler_load KIND THREADS MILLIONS_OF_OBJECTS
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIVE = 100000
};

static long rounds; // of each thread

static uint64_t next(uint64_t *state) {
    *state = *state * 6364136223846793005 + 1442695040888963407;
    return *state >> 33;
}

static void *pairs(void *seed) {
    uint64_t state = (uintptr_t)seed;
    for (long i = 0; i < rounds; i++) {
        char *volatile object = malloc(16 + (next(&state) & 127));
        object[0] = 1;
        free(object);
    }
    return NULL;
}

static size_t any_size(uint64_t *state) {
    uint64_t r = next(state);
    return 8 + ((r & 255) ? (r >> 8) % 505 : (r >> 8) % 32761);
}

static void *mixed(void *seed) {
    uint64_t state = (uintptr_t)seed;
    char **live = calloc(LIVE, sizeof *live);
    for (long i = 0; i < rounds; i++) {
        char **object = &live[next(&state) % LIVE];
        size_t size = any_size(&state);
        if (i % 8 == 0) {
            *object = realloc(*object, size);
        } else {
            free(*object);
            *object = malloc(size);
        }
        (*object)[0] = (*object)[size - 1] = 1;
    }
    for (int i = 0; i < LIVE; i++) {
        free(live[i]);
    }
    free(live);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fputs("usage: sampler_load KIND THREADS MILLIONS_OF_OBJECTS\n", stderr);
        return 2;
    }
    int count = atoi(argv[2]);
    rounds = atol(argv[3]) * 1000000 / count;
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    for (int i = 0; i < count; i++) {
        void *(*work)(void *) = strcmp(argv[1], "pairs") == 0 ? pairs : mixed;
        pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)(i + 1));
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
    free(threads);
    return 0;
}
