// Allocates from a stack of known functions, and from one of 1,000 frames.
// usage: calls [NAME_OF_DUMP]
#include <stdio.h>
#include <stdlib.h>

__attribute__((weak)) int hprof_sampler_dump(const char *name);

static void *volatile kept[3000];
static volatile int three = 3;

__attribute__((noinline)) static void *third(size_t size) {
    void *p = malloc(size);
    return p;
}

__attribute__((noinline)) static void *second(size_t size) {
    void *p = third(size * (size_t)three);
    return p;
}

__attribute__((noinline)) static void first(int i) {
    kept[i] = second(100);
}

__attribute__((noinline)) static int deep(int n) {
    if (n == 0) {
        kept[0] = malloc(777);
        return 0;
    }
    return deep(n - 1) + 1;
}

int main(int argc, char **argv) {
    for (int i = 1; i < 3000; i++) {
        first(i);
    }
    printf("%d\n", deep(1000));
    return argc > 1 && hprof_sampler_dump ? -hprof_sampler_dump(argv[1]) : 0;
}
