// A program that knows how much memory it holds, for account.py.
// usage: account_alloc STEM WHAT THREADS
//
// WHAT is mix, huge (blocks that are touched only in part), beside (memory outside
// jemalloc), mult or frag (two functions that use one size class, where one keeps the
// slabs alive), or fork.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

// Functions of the preloaded allocator, and malloc() of the C library, which is not in
// use.
extern int mallctl(const char *, void *, size_t *, void *, size_t) __attribute__((weak));
extern void malloc_stats_print(void (*)(void *, const char *), void *, const char *)
    __attribute__((weak));
extern size_t sallocx(const void *, int) __attribute__((weak));
extern void *__libc_malloc(size_t);

enum {
    OBJECTS = 60000,
    THREADS = 8,
    MANY = 200000,
    BLOCKS = 6,
};

static void *kept[THREADS][OBJECTS], *many[2 * MANY], *blocks[BLOCKS];

__attribute__((noinline)) void *site_a(size_t size) {
    return memset(malloc(size), 1, size);
}

__attribute__((noinline)) void *site_b(size_t size) {
    return memset(malloc(size), 2, size);
}

// Allocate small and some large objects, and free three quarters of them, also into the
// caches of the thread.
static void *mix(void *data) {
    size_t thread = (size_t)data;
    unsigned random = (unsigned)thread * 7919 + 1;
    for (int i = 0; i < OBJECTS; i++) {
        random = random * 1103515245 + 12345;
        size_t size =
            random >> 16 & 15 ? 16 + (random >> 8) % 240 : 300 + (random >> 8) % 5000;
        size = (random >> 16) % 1000 == 0 ? 20000 + (random >> 4) % 100000 : size;
        kept[thread][i] = i & 1 ? site_a(size) : site_b(size);
    }
    for (int i = 0; i < OBJECTS; i++) {
        if ((unsigned)i * 2654435761u >> 7 & 3) {
            free(kept[thread][i]);
            kept[thread][i] = NULL;
        }
    }
    return NULL;
}

static void mix_all(size_t threads) {
    pthread_t running[THREADS];
    for (size_t i = 0; i < threads; i++) {
        pthread_create(&running[i], NULL, mix, (void *)i);
    }
    for (size_t i = 0; i < threads; i++) {
        pthread_join(running[i], NULL);
    }
}

static void touch_in_part(void) {
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc((size_t)40 << 20);
        memset(blocks[i], 1, (size_t)3 << 20);
    }
}

// Hold 31 MiB of the C library's memory, 25 MiB of anonymous and 20 MiB of shared
// mappings.
static void hold_beside(const char *stem) {
    enum {
        MIB = 1 << 20,
    };

    for (int i = 0; i < 31 * 16; i++) {
        memset(__libc_malloc(MIB / 16), 3, MIB / 16);
    }
    memset(mmap(NULL, 25 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                0),
           4, 25 * MIB);
    char name[4096];
    snprintf(name, sizeof name, "%s.mapped", stem);
    FILE *file = fopen(name, "w+");
    (void)!ftruncate(fileno(file), 20 * MIB);
    memset(mmap(NULL, 20 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0), 5,
           20 * MIB);
    fclose(file);
}

// Fill slabs with objects of A, then others with objects of B, and free all but one in 32
// of B.
static void multiply(void) {
    for (int i = 0; i < MANY / 2; i++) {
        many[i] = site_a(128);
    }
    for (int i = 0; i < MANY / 2; i++) {
        many[MANY + i] = site_b(128);
    }
    for (int i = 0; i < MANY / 2; i++) {
        if (i % 32) {
            free(many[MANY + i]);
            many[MANY + i] = NULL;
        }
    }
}

// Allocate nine objects of A for each one of B, free all of A, and allocate some of A
// again, which go to the first slabs.
static void fragment(void) {
    for (int i = 0; i < MANY; i++) {
        many[i] = i % 10 ? site_a(96) : site_b(96);
    }
    for (int i = 0; i < MANY; i++) {
        if (i % 10) {
            free(many[i]);
            many[i] = NULL;
        }
    }
    for (int i = 0; i < MANY / 10; i++) {
        many[MANY + i] = site_a(96);
    }
}

// The usable bytes of all live objects.
static size_t held(void) {
    size_t bytes = 0;
    for (size_t i = 0; i < THREADS * OBJECTS; i++) {
        void *object = kept[i / OBJECTS][i % OBJECTS];
        bytes += object ? sallocx(object, 0) : 0;
    }
    for (size_t i = 0; i < 2 * MANY; i++) {
        bytes += many[i] ? sallocx(many[i], 0) : 0;
    }
    for (int i = 0; i < BLOCKS; i++) {
        bytes += blocks[i] ? sallocx(blocks[i], 0) : 0;
    }
    return bytes;
}

static void put(void *file, const char *text) {
    fputs(text, file);
}

// Write a dump, the statistics and smaps to STEM.heap, .json and .smaps as the manual
// shows it, after printing the bytes that are held; counting them allocates nothing.
static void account(const char *stem) {
    char heap[4096], line[4096];
    const char *name = heap;
    snprintf(heap, sizeof heap, "%s.json", stem);
    FILE *json = fopen(heap, "w");
    snprintf(heap, sizeof heap, "%s.smaps", stem);
    FILE *to = fopen(heap, "w"), *from = fopen("/proc/self/smaps", "r");
    snprintf(heap, sizeof heap, "%s.heap", stem);
    printf("%zu\n", held());
    if (mallctl("prof.dump", NULL, NULL, &name, sizeof name) != 0) {
        exit(1);
    }
    malloc_stats_print(put, json, "J");
    while (fgets(line, sizeof line, from)) {
        fputs(line, to);
    }
    fclose(from);
    fclose(to);
    fclose(json);
}

int main(int argc, char **argv) {
    const char *stem = argv[1], *what = argc > 2 ? argv[2] : "mix";
    size_t threads = argc > 3 ? (size_t)atoi(argv[3]) : 1;
    if (strcmp(what, "mult") == 0) {
        multiply();
    } else if (strcmp(what, "frag") == 0) {
        fragment();
    } else {
        mix_all(threads < THREADS ? threads : THREADS);
    }
    if (strcmp(what, "huge") == 0) {
        touch_in_part();
    } else if (strcmp(what, "beside") == 0) {
        hold_beside(stem);
    }
    char child[4096];
    snprintf(child, sizeof child, "%s-child", stem);
    if (strcmp(what, "fork") == 0 && fork() == 0) {
        account(child);
        return 0;
    }
    account(stem);
    return wait(NULL) > 0 ? 0 : 0;
}
