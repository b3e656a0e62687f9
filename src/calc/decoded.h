// Estimates for a line of several sampled objects, from all readings of the line.  A line
// is the number of objects and of bytes of a stack as the dump prints them; a reading is
// one multiset of object sizes for which jemalloc prints this line.
//
// If there is one reading the estimate is exact: Horvitz and Thompson's, object by
// object.  If there are several it is their mean, weighted by the sizes that the same
// leaf has elsewhere in the dump.  The bounds of the error, however, are those of all
// readings, whatever their weights.
#ifndef HP_CALC_DECODED_H
#define HP_CALC_DECODED_H

#include "base/error.h"
#include "base/hash.h"
#include "calc/recover_size.h"
#include "calc/uncertainty.h"
#include "model/dump.h"

// --- readings --------------------------------------------------------------------------
//
// The search for the readings of a line of several objects.
//
// The two numbers of a line are made from the size classes of a few objects.  Often there
// is just one multiset of sizes that gives them.  If there are several, the true one is
// among those found here, provided that the search was complete.

enum {
    HP_MOST_READ = 7, // most objects of a line whose readings are searched for
    // A lower limit for dumps of many lines, with which the search takes a tenth of the
    // time.
    HP_FEWER_READ = 3,
};

// One reading of a line, a multiset of sizes: the size classes of `count` objects, the
// smallest first.
struct hp_reading {
    uint8_t count, classes[HP_MOST_READ];
};

// The readings that were found for a line: each is one combination of object sizes that
// explains the two printed numbers.
struct hp_readings {
    const struct hp_reading *at; // the readings; valid until the next call of hp_decode()
    size_t count;
    bool complete; // all possible readings are here; else others may exist
    // All readings whose sizes are size classes are here, but an object may also have a
    // size that is no class.  Set by hp_unbias_readings().
    bool is_open;
};

// The remembered result for one line.
struct hp_decoded_line {
    struct hp_count line;  // the key
    uint32_t first, count; // range in decoder->readings
    bool complete;         // as in struct hp_readings
};

// A half of a reading (a combination of object sizes that explains a line): up to three
// objects, and the sums that jemalloc makes of them.
struct hp_half {
    // Sums of the members unbiased_size and shifted_objects of the objects' size classes
    // (struct hp_size_class).  The first one is the key by which halves are sorted.
    uint64_t unbiased_bytes;
    uint32_t shifted_objects;
    struct hp_reading sizes;
};

// All halves whose objects have size classes near one sample period.
struct hp_halves {
    uint64_t period; // sample period; 0: empty
    HP_VEC(struct hp_half) all;
    HP_VEC(double) bytes; // unbiased_bytes of each half, as double
    // For each number of objects and shifted_objects, the index in `all` of the first
    // half that has these.
    HP_VEC(uint32_t) first;
};

enum {
    // Most periods whose halves are kept: making them takes longer than reading a small
    // dump.
    HP_PERIODS_KEPT = 8,
};

// Finds the readings of lines that are all raw or all rewritten, with one sample period,
// and remembers them.  {0} is ready for hp_decoder_init().
struct hp_decoder {
    const struct hp_size_classes *classes; // borrowed
    uint64_t period;                       // sample period of the lines, in bytes
    bool is_raw; // lines are sampled counts; false: jemalloc has rewritten them
    struct hp_halves halves[HP_PERIODS_KEPT]; // made on demand
    unsigned halves_made;  // number of halves made so far; the oldest are overwritten
    struct hp_index index; // finds an entry of `lines` by its counts
    HP_VEC(struct hp_decoded_line) lines;
    HP_VEC(struct hp_reading) readings;
};

// Prepare for the lines of a dump.  is_raw: lines are sampled counts; else jemalloc has
// rewritten them (prof_unbias).  Readings remembered for another period, or for the other
// value of is_raw, are dropped.  Borrows `classes`.
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

// --- decoded ---------------------------------------------------------------------------

// The weight of one sampled object of a size class: how many objects and bytes of the
// whole it represents, as an estimate with bounds.  If the object may be smaller than its
// class there are two readings: it has the size of the class, or it is as small as
// possible.  The estimate is the middle of both.
struct hp_class_weight {
    double objects, least_objects, most_objects; // objects per sample
    double bytes, least_bytes, most_bytes;       // bytes per sample
    double variance; // variance of the bytes, the larger of both readings; bytes^2
    uint64_t size, least_size; // bytes: size of the class, and the smallest possible size
};

// The weights of all size classes, for one sample period: how many objects and bytes one
// sampled object of the class represents.  {0} is ready for hp_class_weights_init().
struct hp_class_weights {
    uint64_t period; // sample period in bytes; 0: not filled in
    // Large objects may be any number of pages, up to the size of their class.
    bool has_pages;
    struct hp_class_weight of[HP_SIZE_CLASSES]; // weight of each size class
};

// Compute the weights.  Does nothing if they were made for the same period and has_pages.
// `rate` is hp_byte_rate() of the period.  has_pages: a large object may be any number of
// pages, up to the size of its class.
void hp_class_weights_init(struct hp_class_weights *weights, uint64_t period, double rate,
                           bool has_pages);

// How often objects of each size class were read for certain, separately for each leaf.
// {0} is empty.
struct hp_prior {
    struct hp_dump_owners owners; // finds the leaves of stacks
    struct hp_index index;        // finds an entry of `counts` by its key
    HP_VEC(struct hp_prior_count) counts;
};

// The number of objects of one class at one leaf.
struct hp_prior_count {
    struct {
        uint32_t leaf, class;
        // `key` is the first member, as the index needs it.  `leaf` is a number in
        // dump->addresses; class HP_SIZE_CLASSES is the sum of all classes.
    } key;

    uint64_t count; // objects that were read for certain
};

// Count n objects of `size` bytes.  Does nothing if `size` is not the size of a class.
void hp_prior_add(struct hp_prior *prior, uint32_t leaf, uint64_t size, uint64_t n);
void hp_prior_clear(struct hp_prior *prior); // frees everything; {0} afterwards

// Estimate a line from its readings (the combinations of object sizes that explain it),
// which must be complete and one or more.  They are weighted by the sizes that `prior`
// has for `leaf`, the leaf of the stack.  `prior` may be NULL: all readings have the same
// weight.
struct hp_unbiased hp_estimate_readings(const struct hp_class_weights *weights,
                                        struct hp_readings readings,
                                        struct hp_prior *prior, uint32_t leaf);

enum {
    // Most size classes of a line that is split; a line with more is not split.
    HP_CLASS_PARTS = 8,
};

// The objects of one size class in a line.
struct hp_class_part {
    uint64_t size;         // bytes, size of the class
    struct hp_unbiased of; // estimate, with the bounds of all readings
};

// Estimate a line as hp_estimate_readings() does, but class by class.  Returns the number
// of parts, or 0 if there are more classes than HP_CLASS_PARTS.
size_t hp_split_readings(const struct hp_class_weights *weights,
                         struct hp_readings readings, struct hp_prior *prior,
                         uint32_t leaf, struct hp_class_part parts[HP_CLASS_PARTS]);

// Widen the error bounds of an estimate so that they include all combinations of object
// sizes that explain the line; there must be at least one.
void hp_widen_to_readings(const struct hp_class_weights *weights,
                          struct hp_readings readings, struct hp_unbiased *estimate);

// Estimate n sampled objects of the class of `size` bytes.
struct hp_unbiased hp_estimate_class(const struct hp_class_weights *weights, uint64_t n,
                                     uint64_t size);

// Adjust the estimate of a mix, a line of several unknown sizes, where large objects may
// be smaller than their class.  The estimate assumed the size of the class; it is moved
// to the middle of both readings and its bounds are widened.  `mean` is the mean size of
// the objects, more than HP_LARGE_FROM bytes.
void hp_read_mix_as_pages(const struct hp_class_weights *weights, double mean,
                          struct hp_unbiased *estimate);

#endif
