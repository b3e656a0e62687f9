// Frees all memory that it allocates, and prints by how much its resident memory grew in
// the second half of the rounds.
// usage: frees ROUNDS
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long resident(void) {
    long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &size, &pages) != 2) {
        abort();
    }
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

__attribute__((noinline)) static void *leaf(size_t size, int how) {
    void *p = how == 0   ? malloc(size)
              : how == 1 ? calloc(1, size)
                         : aligned_alloc(64, size);
    return p;
}

__attribute__((noinline)) static void round_of(unsigned n) {
    static void *live[256];
    for (unsigned i = 0; i < 256; i++) {
        live[i] = leaf(16 + (i * 37 + n * 61) % 3000, i % 3);
        live[i] = i % 5 ? live[i] : realloc(live[i], 16 + (i * 91 + n) % 6000);
    }
    for (unsigned i = 0; i < 256; i++) {
        free(live[(i * 7) % 256]);
    }
}

int main(int argc, char **argv) {
    unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    long half = 0;
    for (unsigned n = 0; n < rounds; n++) {
        if (n == rounds / 2) {
            half = resident();
        }
        round_of(n);
    }
    fprintf(stderr, "grown by %ld\n", resident() - half);
    return 0;
}
