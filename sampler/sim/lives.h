// A program whose objects have known lifetimes, in units of time of its own.  Each stack
// except for `rest` allocates the same number of bytes in a unit.  A stack began so long
// ago that it is in a steady state, or at the first dump:
//
//     stack         lifetimes
//     exponential   5 units on average
//     fixed         5 units
//     bimodal       99 of 100 a tenth of 5 units, one of them 90.1 times 5
//     never-freed   never freed; from the first dump on
//     just-started  50 units on average, from the first dump on
//     in-phase      1 unit on average, allocated only in the last tenth of each gap
//                   between dumps
//     in-pause      the same in its first tenth
//     mixed         exponential, objects from 16 bytes to 64 periods
//     rest          half a unit; allocates so much that the process is steady
#ifndef HPS_SIM_LIVES_H
#define HPS_SIM_LIVES_H

#include "core/random.h"

#include <stdbool.h>

enum {
    HPS_LIVES_STACKS = 9,
    HPS_LIVES_WINDOW = 100, // units from the first dump, which is at 0, to the last
};

// Names of the stacks.
extern const char *const hps_lives_names[HPS_LIVES_STACKS];

// The life of one object.
struct hps_life {
    double born, died; // units; `born` is not after the last dump
    uint64_t size;     // a size class of jemalloc
    uint32_t stack;
};

// The state of a stack, which allocates one object after the other.
struct hps_lives {
    struct hps_random random;
    uint32_t stack, dumps; // number of the stack; number of dumps
    uint64_t period;       // mean bytes between samples
    double bytes;          // mean bytes allocated in a unit
    double now;            // time of the newest object
};

// Start a stack.  `samples` is the number of periods of bytes that it allocates in a
// unit; `rest` ignores it.  There have to be at least two dumps.
void hps_lives_init(struct hps_lives *lives, uint32_t stack, uint32_t dumps,
                    uint64_t period, double samples, const struct hps_random *random);

// Compute the next object.  Returns false if there are no more.
bool hps_lives_next(struct hps_lives *lives, struct hps_life *life);

// The time when dump number `dump` is written.
double hps_lives_time(const struct hps_lives *lives, uint32_t dump);

#endif
