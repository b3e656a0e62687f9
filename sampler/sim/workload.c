// A program has several kinds of objects.  It allocates all of them evenly from its start
// to its end.  The next object is of the kind that has made the least progress, the first
// one of equals.  An object that does not stay is freed when the next one of its kind is
// allocated, the last one at the end.
#include "sim/workload.h"

#include <math.h>
#include <string.h>

enum {
    MAX_KINDS = 8,
    PARETO_OBJECTS = 3000,
};

// A kind of object.
struct object_kind {
    uint32_t count;
    uint64_t size;
    uint32_t stack;
    uint32_t stay; // number of objects that are not freed, evenly spread
};

// Progress of a kind.
struct progress {
    uint32_t made;
    bool passing; // the newest object does not stay
    uint32_t newest;
};

// Index of the kind with the least progress.
static size_t furthest_behind(const struct object_kind *kinds,
                              const struct progress *progress, size_t count) {
    size_t best = 0;
    for (size_t i = 1; i < count; i++) {
        // Compares (made + 1/2) / count of both, doubled and without a division.
        uint64_t mine = (2 * (uint64_t)progress[i].made + 1) * kinds[best].count;
        uint64_t others = (2 * (uint64_t)progress[best].made + 1) * kinds[i].count;
        best = mine < others ? i : best;
    }
    return best;
}

// Allocate the next object of a kind; free the previous one if it does not stay.
static void make_next(struct hps_stream *stream, const struct object_kind *kind,
                      struct progress *progress) {
    if (progress->passing) {
        hps_stream_free(stream, progress->newest);
    }
    progress->newest = hps_stream_allocate(stream, 0, kind->stack, kind->size);
    uint64_t before = (uint64_t)progress->made++ * kind->stay / kind->count;
    progress->passing = (uint64_t)progress->made * kind->stay / kind->count == before;
}

// Append a program with these kinds of objects.
static void mix(struct hps_stream *stream, const struct object_kind *kinds,
                size_t count) {
    struct progress progress[MAX_KINDS] = {0};
    uint64_t left = 0;
    for (size_t i = 0; i < count; i++) {
        left += kinds[i].count;
    }
    for (; left > 0; left--) {
        size_t i = furthest_behind(kinds, progress, count);
        make_next(stream, &kinds[i], &progress[i]);
    }
    for (size_t i = 0; i < count; i++) {
        if (progress[i].passing) {
            hps_stream_free(stream, progress[i].newest);
        }
    }
}

static void make_tiny(struct hps_stream *stream) {
    mix(stream, &(struct object_kind){8000, 16, 0, 8000}, 1);
}

static void make_r_size(struct hps_stream *stream) {
    mix(stream, &(struct object_kind){200, 4096, 0, 200}, 1);
}

static void make_mix(struct hps_stream *stream) {
    static const struct object_kind kinds[] = {
        {4000, 16, 0, 4000},
        {200, 512, 1, 200},
        {10, 16384, 2, 10},
        {2, 65536, 3, 2},
    };
    mix(stream, kinds, sizeof kinds / sizeof *kinds);
}

// Size number `rank`: quantiles of the distribution P(size > x) = (16/x)^1.1, in
// multiples of 8.  0.8 instead of 1/2 keeps the largest object from having a tenth of all
// bytes.
static uint64_t pareto_size(uint32_t rank) {
    double x = 16 * pow((rank + 0.8) / PARETO_OBJECTS, -1 / 1.1);
    return 8 * (uint64_t)ceil(x / 8);
}

static void make_pareto(struct hps_stream *stream) {
    enum {
        STRIDE = 1237, // coprime to the number of objects
    };

    for (uint32_t i = 0; i < PARETO_OBJECTS; i++) {
        uint64_t size = pareto_size(i * STRIDE % PARETO_OBJECTS);
        hps_stream_allocate(stream, 0, size <= 64 ? 0 : size <= 1024 ? 1 : 2, size);
    }
}

static void make_periodic(struct hps_stream *stream) {
    for (int round = 0; round < 400; round++) {
        for (int i = 0; i < 4; i++) {
            hps_stream_allocate(stream, 0, 0, 1008);
        }
        hps_stream_allocate(stream, 0, 1, 64);
    }
}

static void make_victim(struct hps_stream *stream) {
    for (int round = 0; round < 100; round++) {
        hps_stream_allocate(stream, 0, 0, 16384);
        hps_stream_allocate(stream, 0, 1, 16);
        for (int i = 0; i < 20; i++) {
            hps_stream_allocate(stream, 0, 2, 200);
        }
    }
}

static void make_churn(struct hps_stream *stream) {
    static const struct object_kind kinds[] = {
        {2400, 256, 0, 0},
        {500, 64, 1, 500},
        {60, 8192, 2, 30},
    };
    mix(stream, kinds, sizeof kinds / sizeof *kinds);
}

static void make_pair(struct hps_stream *stream) {
    static const struct object_kind kinds[] = {
        {8000, 8, 0, 8000},
        {1, 64000, 1, 1},
    };
    mix(stream, kinds, sizeof kinds / sizeof *kinds);
}

static void make_large(struct hps_stream *stream) {
    static const struct object_kind kinds[] = {
        {6, 4 * 4096, 0, 6},  {6, 8 * 4096, 1, 6},  {6, 16 * 4096, 2, 6},
        {6, 32 * 4096, 3, 6}, {6, 64 * 4096, 4, 6},
    };
    mix(stream, kinds, sizeof kinds / sizeof *kinds);
}

static void make_two_stack(struct hps_stream *stream) {
    static const struct object_kind kinds[] = {
        {1000000, 8, 0, 1000000},
        {1, 8 << 20, 1, 1},
    };
    mix(stream, kinds, sizeof kinds / sizeof *kinds);
}

static void make_huge(struct hps_stream *stream) {
    static const struct object_kind kinds[] = {
        {4, 16 * 4096, 0, 4},  {4, 32 * 4096, 1, 4},  {4, 64 * 4096, 2, 4},
        {4, 128 * 4096, 3, 4}, {4, 256 * 4096, 4, 4},
    };
    mix(stream, kinds, sizeof kinds / sizeof *kinds);
}

// Samples are independent, so that the order of objects has no effect; equal ones in a
// row are sampled faster.
static void make_spread(struct hps_stream *stream) {
    enum {
        SMALLEST = 4, // powers of two
        LARGEST = 24,
        MIXED = LARGEST - SMALLEST + 1, // number of the stack with all sizes
    };

    for (uint32_t i = 0; i < 2 * MIXED; i++) {
        uint32_t power = SMALLEST + i % MIXED;
        for (uint64_t left = (uint64_t)1 << (LARGEST - power); left > 0; left--) {
            hps_stream_allocate(stream, 0, i < MIXED ? i : MIXED, (uint64_t)1 << power);
        }
    }
}

static void make_few(struct hps_stream *stream) {
    static const struct object_kind kinds[] = {
        {32, 16, 0, 32}, {16, 64, 1, 16},   {8, 256, 2, 8},   {3, 1024, 3, 3},
        {64, 64, 4, 64}, {384, 16, 5, 384}, {32, 256, 6, 32}, {3, 4096, 7, 3},
    };
    mix(stream, kinds, sizeof kinds / sizeof *kinds);
}

const struct hps_workload hps_workloads[] = {
    {.name = "tiny",
     .summary = "8000 objects of 16 B",
     .period = 4096,
     .stacks = "tiny",
     .make = make_tiny},
    {.name = "r-size",
     .summary = "200 objects as large as the period",
     .period = 4096,
     .stacks = "page",
     .make = make_r_size},
    {.name = "mix",
     .summary = "objects of 16 B, 512 B, 16 KiB and 64 KiB",
     .period = 4096,
     .stacks = "of_16 of_512 of_16K of_64K",
     .make = make_mix},
    {.name = "pareto",
     .summary = "3000 objects of many sizes, most of them small",
     .period = 4096,
     .stacks = "small medium large",
     .make = make_pareto},
    {.name = "periodic",
     .summary = "four objects of 1008 B (A) and one of 64 B (B), 400 times",
     .period = 4096,
     .stacks = "A B",
     .make = make_periodic,
     .interval = 4096},
    {.name = "victim",
     .summary = "16 KiB (X), 16 B (V) and twenty times 200 B (Y), 100 times",
     .period = 4096,
     .stacks = "X V Y",
     .make = make_victim},
    {.name = "churn",
     .summary = "256 B freed at once, 64 B kept, every other 8 KiB kept",
     .period = 4096,
     .stacks = "of_256 of_64 of_8K",
     .make = make_churn},
    {.name = "pair",
     .summary = "8000 objects of 8 B (A) and one of 64000 B (B), period 8000",
     .period = 8000,
     .stacks = "A B",
     .make = make_pair},
    {.name = "large",
     .summary = "six objects each of 4 to 64 periods",
     .period = 4096,
     .stacks = "of_4R of_8R of_16R of_32R of_64R",
     .make = make_large},
    {.name = "two-stack",
     .summary = "a million objects of 8 B (A) and one of 8 MiB (B), period 1 MiB",
     .period = 1 << 20,
     .stacks = "A B",
     .make = make_two_stack,
     .apart = true},
    {.name = "huge",
     .summary = "four objects each of 16 to 256 periods",
     .period = 4096,
     .stacks = "of_16R of_32R of_64R of_128R of_256R",
     .make = make_huge,
     .apart = true},
    {.name = "spread",
     .summary =
         "16 MiB in objects of each power of two from 16 B on; all of them once more",
     .period = 1 << 19,
     .stacks = "of_16 of_32 of_64 of_128 of_256 of_512 of_1K of_2K of_4K of_8K of_16K "
               "of_32K of_64K of_128K of_256K of_512K of_1M of_2M of_4M of_8M of_16M all",
     .make = make_spread,
     .apart = true},
    {.name = "few",
     .summary = "stacks of an eighth of a period to three periods",
     .period = 4096,
     .stacks = "R/8 R/4 R/2 3R/4 R 3R/2 2R 3R",
     .make = make_few,
     .apart = true},
    {0},
};

const struct hps_workload *hps_workload_find(const char *name) {
    const struct hps_workload *workload = hps_workloads;
    while (workload->name && strcmp(workload->name, name) != 0) {
        workload++;
    }
    return workload->name ? workload : NULL;
}
