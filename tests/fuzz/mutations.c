// Change files in many ways, which depend on the seed only, and read each changed file
// with the fast readers and with the slow one.  With MUTATES_GENERATED the files are maps
// of generated code.
//
// usage: mutations COUNT SEED FILE-OR-FOLDER...
#ifdef MUTATES_GENERATED
#    include "generated.h"
#else
#    include "differential.h"
#endif
#include "files.h"
#include "mutate.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LARGEST = 16384, // bytes of a file that are used
};

static struct files files;
static char bytes[LARGEST]; // the changed file
static size_t size;

// Write the input that failed to a file, and end the process by the signal.
static void on_abort(int number) {
    static const char name[] = "mutation-that-failed";
    FILE *file = fopen(name, "wb");
    if (file) {
        fwrite(bytes, 1, size, file);
        fclose(file);
        fprintf(stderr, "%s holds it\n", name);
    }
    signal(number, SIG_DFL);
    raise(number);
}

#ifdef MUTATES_GENERATED
static bool is_of_fields(struct hp_span text) {
    (void)text;
    return false;
}

static void check(size_t window, bool packed) {
    (void)packed;
    generated_check((const uint8_t *)bytes, size, window);
}

static void print_counts(void) {
    const struct generated_counts *counts = &generated_counts;
    printf("%" PRIu64 " maps and %" PRIu64
           " jitdumps, mutations of %zu files, read alike: "
           "%" PRIu64 " addresses named\n",
           counts->maps, counts->dumps, files.count, counts->named);
}
#else
static bool is_of_fields(struct hp_span text) {
    return hp_pprof_format.is(text);
}

static void check(size_t window, bool packed) {
    differential_check((const uint8_t *)bytes, size, window, packed);
}

static void print_counts(void) {
    const struct differential_counts *counts = &differential_counts;
    printf("%" PRIu64 " mutations of %zu files read alike: %" PRIu64 " complete, %" PRIu64
           " damaged, %" PRIu64 " refused\n",
           counts->inputs, files.count, counts->complete, counts->damaged,
           counts->refused);
}
#endif

// Copy a random file to `bytes` and make one to eight changes, mostly few.
static void mutate(struct mutate_random *random) {
    const struct file *file = &files.at[mutate_below(random, files.count)];
    const struct file *other = &files.at[mutate_below(random, files.count)];
    struct hp_span text = {(const char *)file->bytes, file->size};
    uint64_t changes = 1 + mutate_below(random, 1 << mutate_below(random, 4));
    bool is_message = is_of_fields(text) && mutate_below(random, 4) > 0;
    size = file->size < LARGEST ? file->size : LARGEST;
    memcpy(bytes, file->bytes, size);
    for (uint64_t i = 0; i < changes; i++) {
        size =
            is_message
                ? mutate_message(random, bytes, size, LARGEST)
                : mutate_text(random, bytes, size, LARGEST,
                              (struct hp_span){(const char *)other->bytes, other->size});
    }
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: %s COUNT SEED FILE-OR-FOLDER...\n", argv[0]);
        return 2;
    }
    uint64_t count = strtoull(argv[1], NULL, 10);
    struct mutate_random random = {strtoull(argv[2], NULL, 10)};
    for (int i = 3; i < argc; i++) {
        files_add(&files, argv[i]);
    }
    signal(SIGABRT, on_abort);
    for (uint64_t i = 0; i < count; i++) {
        mutate(&random);
        size_t window = (size_t)mutate_below(&random, 4096);
        check(window, i % 64 == 0);
    }
    print_counts();
    files_done(&files);
    return 0;
}
