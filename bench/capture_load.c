// Load for bench/capture, under libhprof-capture.so:
//   waits MIB SETS N  keep MIB of memory in 4,096 stacks, ask for sets, and print for each of
//                     them the longest wait of threads in malloc, mmap and fork, or the first
//                     N of these, in microseconds; before each set the same for as long a
//                     time without one
//   fork COUNT        print the median time of fork() until it returns in the parent, and in
//                     the child, in microseconds
//   threads COUNT     start threads that sleep, ask for three sets, print their results
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int hprof_capture_now(const char *reason) __attribute__((weak));

enum {
    OPERATIONS = 3,
    OBJECT = 16384
};

static _Atomic long longest[OPERATIONS];

static long now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void do_malloc(void) {
    void *volatile object = malloc(8192);
    free(object);
}

static void do_mmap(void) {
    void *pages = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    munmap(pages, 4096);
}

static void do_fork(void) {
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void *repeat(void *which) {
    static void (*const operations[OPERATIONS])(void) = {do_malloc, do_mmap, do_fork};
    long number = (long)which;
    for (;;) {
        long begun = now_us();
        operations[number]();
        long took = now_us() - begun;
        if (took > longest[number]) {
            longest[number] = took;
        }
        usleep(number == 2 ? 2000 : 200);
    }
    return NULL;
}

static void reset(void) {
    for (int i = 0; i < OPERATIONS; i++) {
        longest[i] = 0;
    }
}

static void print(const char *what) {
    printf("%s %ld %ld %ld\n", what, (long)longest[0], (long)longest[1],
           (long)longest[2]);
}

static void *descend(long way, int depth);

__attribute__((noinline)) static void *left(long way, int depth) {
    void *object = descend(way, depth);
    __asm__ volatile("" : : "r"(object)); // no tail call
    return object;
}

__attribute__((noinline)) static void *right(long way, int depth) {
    void *object = descend(way, depth);
    __asm__ volatile("" : : "r"(object));
    return object;
}

// Allocate in one of 2^depth stacks.
__attribute__((noinline)) static void *descend(long way, int depth) {
    void *object = depth == 0 ? malloc(OBJECT)
                   : way & 1  ? left(way / 2, depth - 1)
                              : right(way / 2, depth - 1);
    __asm__ volatile("" : : "r"(object));
    return object;
}

static void leak(long mib) {
    for (long i = 0; i < mib * 64; i++) {
        memset(descend(i, 12), 1, OBJECT);
    }
}

static void waits(long mib, int sets, long operations) {
    pthread_t thread;
    leak(mib);
    for (long i = 0; i < operations; i++) {
        pthread_create(&thread, NULL, repeat, (void *)i);
    }
    long took = 20000;
    for (int i = 0; i < sets; i++) {
        reset();
        usleep((useconds_t)took);
        print("without");
        reset();
        long begun = now_us();
        int error = hprof_capture_now("bench");
        took = now_us() - begun;
        print(error ? "failed" : "set");
    }
}

static void *sleep_on(void *unused) {
    pause();
    return unused;
}

static void threads(long count) {
    pthread_attr_t small;
    pthread_t thread;
    long made = 0;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    while (made < count && pthread_create(&thread, &small, sleep_on, NULL) == 0) {
        made++;
    }
    leak(100);
    printf("threads %ld", made);
    for (int i = 0; i < 3; i++) {
        long begun = now_us();
        int error = hprof_capture_now("bench");
        printf(" set %d in %ld ms", error, (now_us() - begun) / 1000);
    }
    printf("\n");
}

static int by_size(const void *left, const void *right) {
    const long *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void forks(long count) {
    long *times[2] = {calloc((size_t)count, sizeof(long)),
                      calloc((size_t)count, sizeof(long))};
    long *returned =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (long i = 0; i < count; i++) {
        long begun = now_us();
        pid_t child = fork();
        if (child == 0) {
            *returned = now_us();
            _exit(0);
        }
        times[0][i] = now_us() - begun;
        waitpid(child, NULL, 0);
        times[1][i] = *returned - begun;
    }
    for (int i = 0; i < 2; i++) {
        qsort(times[i], (size_t)count, sizeof(long), by_size);
    }
    printf("fork %ld %ld\n", times[0][count / 2], times[1][count / 2]);
}

int main(int count, char **words) {
    long number = count > 2 ? atol(words[2]) : 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count == 5 && strcmp(words[1], "waits") == 0) {
        waits(number, atoi(words[3]), atol(words[4]));
    } else if (count == 3 && strcmp(words[1], "fork") == 0) {
        forks(number);
    } else if (count == 3 && strcmp(words[1], "threads") == 0) {
        threads(number);
    } else {
        return 2;
    }
    return 0;
}
