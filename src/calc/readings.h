// The readings of a line of several objects: all multisets of size classes that jemalloc
// prints like it.
//
// A line is a pair of numbers, made from the size classes of a few objects.  Often there
// is just one multiset of sizes that gives it.  If there are several, the true one is
// among those found here, provided that the search was complete.
#ifndef HP_CALC_READINGS_H
#define HP_CALC_READINGS_H

#include "base/hash.h"
#include "calc/recover_size.h"
#include "model/dump.h"
#include "model/error.h"

enum {
    HP_MOST_READ = 7,  // most objects of a line that is searched
    HP_FEWER_READ = 3, // a lower limit, with which the search takes a tenth of the time
};

// One multiset of sizes: the classes of `count` objects, the smallest first.
struct hp_reading {
    uint8_t count, classes[HP_MOST_READ];
};

// All readings that were found for a line.
struct hp_readings {
    const struct hp_reading *at; // valid until the next call of hp_decode()
    size_t count;
    bool complete; // all possible readings are here; else others may exist
    // All readings by size classes are here, but a size may also be no class.  Set by
    // hp_unbias_readings().
    bool is_open;
};

// The remembered result for one line.
struct hp_decoded_line {
    struct hp_count line;  // the key
    uint32_t first, count; // range in decoder->readings
    bool complete;         // as in struct hp_readings
};

// Up to three objects, and the sums that jemalloc makes of them.
struct hp_half {
    uint64_t unbiased_bytes;  // sum of unbiased_size; first, because it is the sort key
    uint32_t shifted_objects; // sum of the objects in eighths: see struct hp_size_class
    struct hp_reading sizes;
};

// All halves of the classes near one sample period.
struct hp_halves {
    uint64_t period; // sample period; 0: empty
    HP_VEC(struct hp_half) all;
    HP_VEC(double) bytes; // unbiased_bytes of each half, as double
    // First half of each group, by number of objects and shifted_objects.
    HP_VEC(uint32_t) first;
};

enum {
    // Most periods whose halves are kept: making them takes longer than reading a small
    // dump.
    HP_PERIODS_KEPT = 8,
};

// Finds the readings of lines of one kind and one period, and remembers them.  {0} is
// ready for hp_decoder_init().
struct hp_decoder {
    const struct hp_size_classes *classes;    // borrowed
    uint64_t period;                          // sample period of the lines, in bytes
    bool is_raw;                              // lines are raw, not rewritten by jemalloc
    struct hp_halves halves[HP_PERIODS_KEPT]; // made on demand
    unsigned halves_made;  // number of halves made so far; the oldest are overwritten
    struct hp_index index; // of `lines`, by their counts
    HP_VEC(struct hp_decoded_line) lines;
    HP_VEC(struct hp_reading) readings;
};

// Prepare for the lines of a dump.  is_raw: lines hold raw counts; else jemalloc has
// rewritten them (prof_unbias).  Readings remembered for another period or kind are
// dropped.  Borrows `classes`.
void hp_decoder_init(struct hp_decoder *decoder, const struct hp_size_classes *classes,
                     bool is_raw);
// Free all memory.
void hp_decoder_done(struct hp_decoder *decoder);

// Return the readings of a line.  The result does not depend on lines that were decoded
// before.
struct hp_readings hp_decode(struct hp_decoder *decoder, struct hp_count line);

// Count the different lines of 2 ... HP_MOST_READ objects in a dump.  Lines with equal
// hashes are counted once; this is harmless, and the result does not depend on the order
// of stacks.
size_t hp_count_few(const struct hp_dump *dump);

#endif
