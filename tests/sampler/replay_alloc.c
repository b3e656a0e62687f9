// A program that jemalloc samples.  It has threads that end or stay, with and without
// names; small and huge objects, several sizes from one stack, realloc and aligned
// memory; and objects that are freed by other threads.  At its end it writes, with no
// allocation in between,
//
//     JSON    every sampling decision (jemalloc's experimental.prof_recent.alloc_dump)
//     DUMP    the heap dump
//
// usage: MALLOC_CONF=prof:true,prof_recent_alloc_max:-1 replay_alloc JSON DUMP
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    THREADS = 6, // threads of even number stay until the dump
    ROUNDS = 400,
    KEPT = 1 << 15,
};

// Buffers outside the heap, so that the allocator does not see them.
static const size_t json_room = (size_t)1 << 30;
static char *json;
static size_t json_length;
static void *kept[THREADS + 1][KEPT];

static int (*mallctl)(const char *name, void *old, size_t *old_size, void *new,
                      size_t new_size);
static sem_t ready, go_on;

// malloc() must not be the last thing a function does, or the function is not on the
// stack.
__attribute__((noinline)) static void *small(size_t size) {
    void *volatile object = malloc(size);
    return object;
}

__attribute__((noinline)) static void *large(size_t size) {
    void *volatile object = malloc(size);
    return object;
}

__attribute__((noinline)) static void *mixed(size_t size) {
    void *volatile object = calloc(1, size);
    return object;
}

__attribute__((noinline)) static void *aligned(size_t alignment, size_t size) {
    void *object = NULL;
    if (posix_memalign(&object, alignment, size)) {
        abort();
    }
    return object;
}

__attribute__((noinline)) static void *grown(size_t from, size_t to) {
    void *volatile object = realloc(malloc(from), to);
    return object;
}

__attribute__((noinline)) static void *nested(int depth, size_t size) {
    void *volatile object = depth > 0 ? nested(depth - 1, size) : small(size);
    return object;
}

static void exercise(void **keep, unsigned seed) {
    static const size_t sizes[] = {1, 8, 16, 24, 48, 100, 128, 640, 1000, 4096, 5000};
    for (unsigned i = 0; i < ROUNDS; i++) {
        void *objects[] = {
            small(sizes[i % 11]),
            small(16),
            nested((int)(i % 20), 64),
            large(i % 8 == seed % 8 ? 600000 : 20000),
            large(i % 100 == seed % 100 ? (size_t)9 << 20 : 3000),
            mixed(i % 2 ? 16 : 30000),
            mixed((size_t)16 << i % 14),
            aligned((size_t)64 << i % 8, 100 + i),
            grown(32, 40 + 100 * i),
            grown(200000, 100),
            grown(100, 101),
        };
        for (unsigned j = 0; j < sizeof objects / sizeof *objects; j++) {
            if ((i * 7 + j * 3 + seed) % 5 < 2) {
                free(objects[j]);
            } else {
                *keep++ = objects[j];
            }
        }
    }
}

static void check(int error, const char *what) {
    if (error) {
        fprintf(stderr, "%s: %s\n", what, strerror(error));
        exit(1);
    }
}

static void empty(void **keep) {
    for (unsigned i = 0; i < KEPT; i++) {
        free(keep[i]);
    }
}

// The body of a thread.  The names that begin with "stays" belong to threads that still
// run when the dump is made.
static void *work(void *argument) {
    unsigned number = (unsigned)(uintptr_t)argument;
    static const char *const names[THREADS] = {
        "stays: 0 [1: 1]", "ends 1", "stays 2", NULL, "stays with nothing", NULL};
    const char *name = names[number];
    if (name) {
        check(mallctl("thread.prof.name", NULL, NULL, &name, sizeof name),
              "thread.prof.name");
    }
    exercise(kept[number], number);
    if (number == 4) {
        empty(kept[number]);
    }
    sem_post(&ready);
    if (number % 2 == 0) {
        sem_wait(&go_on);
    }
    return NULL;
}

static void take(void *unused, const char *text) {
    (void)unused;
    size_t length = strlen(text);
    if (length > json_room - json_length) {
        abort();
    }
    memcpy(json + json_length, text, length);
    json_length += length;
}

static void write_all(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (size_t done = 0; done < json_length;) {
        ssize_t n = write(fd, json + done, json_length - done);
        if (n < 0) {
            perror(path);
            exit(1);
        }
        done += (size_t)n;
    }
    close(fd);
}

// Write the recent allocations to `json`, then the heap dump to `path`.  The records of
// recent allocations keep the data of threads that have ended; they are dropped in
// between, so that the dump is the same as without them.
static void dump(const char *path) {
    void (*writer)(void *, const char *) = take;
    void *pair[2];
    memcpy(pair, &writer, sizeof writer);
    pair[1] = NULL;
    ssize_t none = 0;
    check(mallctl("experimental.prof_recent.alloc_dump", NULL, NULL, pair, sizeof pair),
          "prof_recent.alloc_dump");
    check(mallctl("experimental.prof_recent.alloc_max", NULL, NULL, &none, sizeof none),
          "prof_recent.alloc_max");
    check(mallctl("prof.dump", NULL, NULL, &path, sizeof path), "prof.dump");
}

int main(int argc, char **argv) {
    void *symbol = dlsym(RTLD_DEFAULT, "mallctl");
    memcpy(&mallctl, &symbol, sizeof symbol);
    json = mmap(NULL, json_room, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (argc != 3 || !symbol || json == MAP_FAILED) {
        return 2;
    }
    sem_init(&ready, 0, 0);
    sem_init(&go_on, 0, 0);
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) {
        check(pthread_create(&threads[i], NULL, work, (void *)i), "pthread_create");
    }
    exercise(kept[THREADS], THREADS);
    for (int i = 0; i < THREADS; i++) {
        sem_wait(&ready);
    }
    for (int i = 1; i < THREADS; i += 2) {
        pthread_join(threads[i], NULL);
    }
    empty(kept[5]); // free objects of a thread that has ended
    dump(argv[2]);
    for (int i = 0; i < THREADS; i += 2) {
        sem_post(&go_on);
    }
    for (int i = 0; i < THREADS; i += 2) {
        pthread_join(threads[i], NULL);
    }
    write_all(argv[1]);
    return 0;
}
