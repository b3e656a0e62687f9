// A program whose objects have known lifetimes, for recent.py.
// usage: recent_alloc STEM GROUPS SEED [SECONDS]
//
// There are 1,200 functions site_1000 and so on: a hundred for each of twelve
// distributions of lifetimes; only the first GROUPS of each are used.  Each allocates
// 400 objects of 256 bytes, or with probability 1/5 of 4096.  The lifetimes have four
// kinds
//
//     exponential     fixed     80 of 100 in .05 to .15, 20, the large ones, in 1 to 3     never
//
// and three units: .1, 1 and 10 seconds.  Objects are allocated in the last three units
// before the end.  Without SECONDS the clock is simulated, in steps of 4 ms as that of
// Linux, so that the program takes no time.  With SECONDS it is the clock of the machine,
// and each simulated second takes as long as that.  Since other programs may delay this
// one, STEM.lives then records for each object the planned and the actual times of its
// allocation and its free.
#define _GNU_SOURCE
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// A function of the preloaded allocator.
extern int mallctl(const char *, void *, size_t *, void *, size_t) __attribute__((weak));

enum {
    WAYS = 4,
    UNITS = 3,
    EACH = 100,    // sites of each way and unit
    OBJECTS = 400, // objects of each site
    SMALL = 256,
    LARGE = 4096,
    WINDOW = 3,      // time of allocations before the end, in units
    START = 1000000, // initial time of the simulated clock in milliseconds
    STEP = 4,        // resolution of the simulated clock in milliseconds
};

// clang-format off
#define TEN(F, n)                                                                \
    F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) F(n##9)
#define HUNDRED(F, n)                                                            \
    TEN(F, n##0) TEN(F, n##1) TEN(F, n##2) TEN(F, n##3) TEN(F, n##4)             \
    TEN(F, n##5) TEN(F, n##6) TEN(F, n##7) TEN(F, n##8) TEN(F, n##9)
#define ALL(F)                                                                   \
    HUNDRED(F, 10) HUNDRED(F, 11) HUNDRED(F, 12) HUNDRED(F, 13)                  \
    HUNDRED(F, 14) HUNDRED(F, 15) HUNDRED(F, 16) HUNDRED(F, 17)                  \
    HUNDRED(F, 18) HUNDRED(F, 19) HUNDRED(F, 20) HUNDRED(F, 21)
// clang-format on
#define DEFINE(n)                                           \
    __attribute__((noinline)) void *site_##n(size_t size) { \
        return memset(malloc(size), 1, size);               \
    }
#define NAME(n) site_##n,

ALL(DEFINE)
static void *(*const sites[UNITS * WAYS * EACH])(size_t) = {ALL(NAME)};

static const double units[UNITS] = {.1, 1, 10}; // seconds
static const double end = 30.5;

struct event {
    double time;
    uint32_t object, site;
    bool is_birth, is_large;
};

struct timed_object {
    void *at;
    uint32_t site;
    bool is_large;
    double born, died, was_born, had_died; // seconds
};

// --- the clock ----------------------------------------------------------------------------

static double now, pace; // pace: real seconds per simulated one; 0: simulated clock

// Replaces the function of the C library, also for the allocator.
int clock_gettime(clockid_t clock, struct timespec *to) {
    uint64_t milliseconds = START + (uint64_t)(now * 1e3) / STEP * STEP;
    if (pace > 0) {
        return (int)syscall(SYS_clock_gettime, clock, to);
    }
    to->tv_sec = (time_t)(milliseconds / 1000);
    to->tv_nsec = (long)(milliseconds % 1000 * 1000000);
    return 0;
}

static double time_by(clockid_t clock) {
    struct timespec at;
    syscall(SYS_clock_gettime, clock, &at);
    return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

// Wait until `time` in simulated seconds.  Returns the time by the clock that the
// allocator reads, since the program began.
static double wait_for(double time, double began) {
    double left = began + time * pace - time_by(CLOCK_MONOTONIC);
    if (pace > 0 && left > 0) {
        usleep((useconds_t)(left * 1e6));
    }
    now = time;
    return pace > 0 ? time_by(CLOCK_MONOTONIC_COARSE) - began : time;
}

// --- objects ------------------------------------------------------------------------------

static uint64_t state;

static double draw(void) { // above 0, below 1
    state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ z >> 31) >> 12) + 0.5) * 0x1p-52;
}

static double lifetime_of(unsigned way, bool is_large) {
    return way == 0   ? -log(draw())
           : way == 1 ? 1
           : way == 2 ? (is_large ? 1 + 2 * draw() : .05 + .1 * draw())
                      : INFINITY;
}

// Plan when each object is allocated and freed.  Returns the number of events.
static size_t plan(struct event *events, struct timed_object *objects, unsigned groups) {
    size_t count = 0;
    uint32_t object = 0;
    for (uint32_t site = 0; site < UNITS * WAYS * EACH; site++) {
        double unit = units[site / EACH / WAYS];
        for (unsigned i = 0; site % EACH < groups && i < OBJECTS; i++) {
            bool is_large = draw() < .2;
            double born = end - WINDOW * unit * draw();
            double died = born + unit * lifetime_of(site / EACH % WAYS, is_large);
            objects[object] =
                (struct timed_object){NULL, site, is_large, born, died, born, INFINITY};
            events[count++] = (struct event){born, object, site, true, is_large};
            if (died < end) {
                events[count++] = (struct event){died, object, site, false, is_large};
            }
            object++;
        }
    }
    return count;
}

static int by_time(const void *left, const void *right) {
    const struct event *a = left, *b = right;
    return a->time != b->time ? (a->time > b->time) - (a->time < b->time)
                              : b->is_birth - a->is_birth;
}

static void run(const struct event *events, size_t count, struct timed_object *objects) {
    double began = pace > 0 ? time_by(CLOCK_MONOTONIC) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct event *event = &events[i];
        struct timed_object *object = &objects[event->object];
        double time = wait_for(event->time, began);
        if (event->is_birth) {
            object->was_born = time;
            object->at = sites[event->site](event->is_large ? LARGE : SMALL);
        } else {
            object->had_died = time;
            free(object->at);
        }
    }
}

// --- files --------------------------------------------------------------------------------

static void put(void *file, const char *text) {
    fputs(text, file);
}

// Write a dump to STEM.heap and the recent allocations to STEM.json.  Returns 0 if that
// succeeds.
static int write_files(const char *stem) {
    struct {
        void (*write)(void *, const char *);
        void *to;
    } packet = {put, NULL};

    char path[4096];
    const char *name = path;
    snprintf(path, sizeof path, "%s.json", stem);
    FILE *json = fopen(path, "w");
    packet.to = json;
    snprintf(path, sizeof path, "%s.heap", stem);
    int failed = !json || mallctl("prof.dump", NULL, NULL, &name, sizeof name) != 0 ||
                 mallctl("experimental.prof_recent.alloc_dump", NULL, NULL, &packet,
                         sizeof packet) != 0;
    return failed || fclose(json) != 0;
}

// Write the planned and the actual times of each object, in seconds of the machine's
// clock.
static int write_lives(const char *stem, const struct timed_object *objects) {
    char path[4096];
    snprintf(path, sizeof path, "%s.lives", stem);
    FILE *lives = fopen(path, "w");
    if (!lives) {
        return 1;
    }
    for (const struct timed_object *of = objects; of->at; of++) {
        double died = of->died < end ? of->died : INFINITY;
        fprintf(lives, "%u %d %.9f %.9f %.9f %.9f\n", of->site,
                of->is_large ? LARGE : SMALL, of->born * pace, died * pace, of->was_born,
                of->had_died);
    }
    return fclose(lives) != 0;
}

int main(int argc, char **argv) {
    if (argc < 4) {
        return 2;
    }
    unsigned groups = (unsigned)atoi(argv[2]);
    state = strtoull(argv[3], NULL, 10) << 32;
    // Set before the first allocation, which must not be timed by the other clock.
    pace = argc > 4 ? atof(argv[4]) : 0;
    size_t most = (size_t)UNITS * WAYS * EACH * OBJECTS;
    struct event *events = calloc(2 * most, sizeof *events);
    struct timed_object *objects = calloc(most + 1, sizeof *objects);
    size_t count = plan(events, objects, groups);
    qsort(events, count, sizeof *events, by_time);
    run(events, count, objects);
    return write_files(argv[1]) || (pace > 0 && write_lives(argv[1], objects));
}
