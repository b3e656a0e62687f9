// Stacks whose objects are known, and what the library makes of their lines in dumps.
//
//     struct source source;
//     source_init(&source, 1 << 19);
//     source_add(&source, 16, 32768);
//     told = reading_of(reading, source_draw(&source, &random));
#ifndef TESTS_STATISTICS_LINES_H
#define TESTS_STATISTICS_LINES_H

#include "calc/unbias.h"
#include "sampler/core/ledger.h"
#include "sampler/core/random.h"
#include "stats/measure.h"

enum {
    MOST_SIZES = 20,
    PERIOD = 1 << 19, // bytes between samples, where it does not matter
};

struct source_size {
    uint64_t size, count;
    double probability;   // that one is sampled
    struct hps_tally one; // what one counts when it is
};

// One stack of one process.
struct source {
    uint64_t period;
    double bytes; // the truth
    int sizes;
    struct source_size of[MOST_SIZES];
};

void source_init(struct source *source, uint64_t period);

// So many more objects of a size class.
void source_add(struct source *source, uint64_t size, uint64_t count);

// About so many bytes in objects of one size; none if that is less than half of one.
void source_add_bytes(struct source *source, uint64_t size, double bytes);

// What is sampled of it: objects are, each for itself, with probability 1 - (1 -
// 1/period)^size.
struct hps_tally source_draw(const struct source *source, struct hps_random *random);

// How dumps of one period and scaling are read.
struct line_reading {
    struct hp_dump dump;
    struct hp_dump_stack stack;
    struct hp_unbias unbias;
};

// What is told of a stack.
struct estimate {
    hp_fixed bytes;
    struct hp_error error;
};

void reading_init(struct line_reading *reading, uint64_t period, enum hp_scaling scaling);

// The numbers in the stack's line.
struct hp_count reading_printed(const struct line_reading *reading,
                                struct hps_tally sampled);

struct estimate reading_of(struct line_reading *reading, struct hp_count printed);

struct hp_measure measure_of(const struct estimate *estimate);

// Both scalings.
enum {
    SCALINGS = 2,
};

extern const enum hp_scaling scalings[SCALINGS];
extern const char *const scaling_names[SCALINGS];

// To the byte, in which a dump tells.
bool holds(struct hp_interval range, double truth);

// Six standard errors off what a share of so many is expected to be.
double least_share(double expected, int count);
double most_share(double expected, int count);

#endif
