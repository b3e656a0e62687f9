// Stacks whose objects are known, and the estimates that the library makes of their lines
// in dumps.
//
//     struct source source;
//     source_init(&source, 1 << 19);
//     source_add(&source, 16, 32768);
//     estimate = reading_of(reading, source_draw(&source, &random));
#ifndef TESTS_STATISTICS_LINES_H
#define TESTS_STATISTICS_LINES_H

#include "calc/unbias.h"
#include "core/ledger.h"
#include "core/random.h"
#include "stats/measure.h"

enum {
    MOST_SIZES = 20,
    PERIOD = 1 << 19, // sample period in bytes, where its value is unimportant
};

// The objects of one size in a stack.
struct source_size {
    uint64_t size, count;
    double probability;   // probability that an object is sampled
    struct hps_tally one; // numbers that one sampled object adds
};

// One stack of one process.
struct source {
    uint64_t period;
    double bytes; // true number of bytes in all objects
    int sizes;
    struct source_size of[MOST_SIZES];
};

void source_init(struct source *source, uint64_t period);

// Add `count` objects of a size, which must be a size class.
void source_add(struct source *source, uint64_t size, uint64_t count);

// Add objects of one size that hold about `bytes` bytes; none if that is less than half
// an object.
void source_add_bytes(struct source *source, uint64_t size, double bytes);

// Sample each object independently with probability 1 - (1 - 1/period)^size.  Returns the
// sums over the sampled objects.
struct hps_tally source_draw(const struct source *source, struct hps_random *random);

// A dump of one stack, to read lines of one sample period and scaling.
struct line_reading {
    struct hp_dump dump;
    struct hp_dump_stack stack;
    struct hp_unbias unbias;
};

// The estimated bytes of a stack, with their error.
struct estimate {
    hp_fixed bytes;
    struct hp_error error;
};

void reading_init(struct line_reading *reading, uint64_t period, enum hp_scaling scaling);

// The numbers that a dump has in the line of the stack.
struct hp_count reading_printed(const struct line_reading *reading,
                                struct hps_tally sampled);

// The estimate that the library makes of such a line.
struct estimate reading_of(struct line_reading *reading, struct hp_count printed);

struct hp_measure measure_of(const struct estimate *estimate);

// The scalings of dumps: unbiased and raw.
enum {
    SCALINGS = 2,
};

extern const enum hp_scaling scalings[SCALINGS];
extern const char *const scaling_names[SCALINGS];

// Whether the interval contains the truth.  A byte of difference is allowed, since dumps
// have whole bytes.
bool holds(struct hp_interval range, double truth);

// The share that is expected among `count` cases, less or plus six standard errors.
double least_share(double expected, int count);
double most_share(double expected, int count);

#endif
