// What a line of several objects may stand for: all multisets of size classes that jemalloc prints
// like it.
//
// A line is a pair of numbers, made of the classes of a few objects.  The sizes behind one are
// often the only ones that make it; if not, the true ones are among those found here.
#ifndef HP_CALC_READINGS_H
#define HP_CALC_READINGS_H

#include "base/hash.h"
#include "calc/recover_size.h"
#include "model/dump.h"
#include "model/error.h"

enum {
    HP_MOST_READ = 7,  // objects of a line, of more nothing is tried
    HP_FEWER_READ = 3, // which takes a tenth of the time
};

// Objects by their classes, the smallest first.
struct hp_reading {
    uint8_t count, classes[HP_MOST_READ];
};

struct hp_readings {
    const struct hp_reading *at; // until the next call
    size_t count;
    bool complete; // all are here; else there may be any others
    bool is_open;  // all of classes are, but sizes may be none
};

struct hp_decoded_line {
    struct hp_count line;
    uint32_t first, count;
    bool complete;
};

// Up to three objects, and what jemalloc makes of them.
struct hp_half {
    uint64_t unbiased_bytes; // first, as they are sorted by it
    uint32_t shifted_objects;
    struct hp_reading sizes;
};

// All halves of the classes near a period.
struct hp_halves {
    uint64_t period; // 0: there are none
    HP_VEC(struct hp_half) all;
    HP_VEC(double) bytes;   // of each
    HP_VEC(uint32_t) first; // by how many they are and what they stand for
};

enum {
    HP_PERIODS_KEPT = 8, // of which halves are kept: they take longer than a small dump
};

// For the lines of one kind and one period.  {0} is ready for hp_decoder_init().
struct hp_decoder {
    const struct hp_size_classes *classes;
    uint64_t period;
    bool is_raw;
    struct hp_halves halves[HP_PERIODS_KEPT]; // made when first needed
    unsigned halves_made;
    struct hp_index index; // of `lines`
    HP_VEC(struct hp_decoded_line) lines;
    HP_VEC(struct hp_reading) readings;
};

// Decode lines as they stand (raw), or as jemalloc rewrites them (prof_unbias).
void hp_decoder_init(struct hp_decoder *decoder, const struct hp_size_classes *classes,
                     bool is_raw);
void hp_decoder_done(struct hp_decoder *decoder);

// The same whatever was decoded before.
struct hp_readings hp_decode(struct hp_decoder *decoder, struct hp_count line);

// How many different lines of few objects a dump has: fewer if some have the same hash, which is
// no matter, but always as many whatever the order of the stacks.
size_t hp_count_few(const struct hp_dump *dump);

#endif
