// A program whose objects live for times that are known, in units of time of its own: each stack
// allocates as many bytes as any other, from so long ago that it is steady, or from a moment on.
//
//     stack         lives
//     exponential   5 units on average
//     fixed         5 units
//     bimodal       99 of 100 a tenth of 5 units, one of them 90.1 times 5
//     never-freed   for ever, from the first dump on
//     just-started  50 units on average, from the first dump on
//     in-phase      1 unit on average, allocated only in the last tenth of each gap between dumps
//     in-pause      the same in its first tenth
//     mixed         exponential, objects from 16 bytes to 64 periods
//     rest          half a unit, and allocates much, so that the process is steady whatever the others do
#ifndef HPS_SIM_LIVES_H
#define HPS_SIM_LIVES_H

#include "sampler/core/random.h"

#include <stdbool.h>

enum {
    HPS_LIVES_STACKS = 9,
    HPS_LIVES_WINDOW = 100, // units between the first dump, at 0, and the last
};

extern const char *const hps_lives_names[HPS_LIVES_STACKS];

struct hps_life {
    double born, died; // units; born no later than the last dump
    uint64_t size;     // a class of jemalloc's
    uint32_t stack;
};

// What a stack allocates, one after the other.
struct hps_lives {
    struct hps_random random;
    uint32_t stack, dumps;
    uint64_t period;
    double bytes; // a unit, on average
    double now;
};

// `samples`: how many periods of bytes it allocates in a unit, but for the rest; at least two dumps.
void hps_lives_init(struct hps_lives *lives, uint32_t stack, uint32_t dumps,
                    uint64_t period, double samples, const struct hps_random *random);

// False when there are no more.
bool hps_lives_next(struct hps_lives *lives, struct hps_life *life);

// When a dump is written.
double hps_lives_time(const struct hps_lives *lives, uint32_t dump);

#endif
