// What the readings of a line of several objects come to.
//
// Of one reading the estimate is exact: Horvitz and Thompson's, object by object.  Of several it
// is their mean, weighed by the sizes that the same leaf holds elsewhere in the dump; but its
// bounds are those of all readings, whatever their weights.
#ifndef HP_CALC_DECODED_H
#define HP_CALC_DECODED_H

#include "calc/readings.h"
#include "calc/uncertainty.h"
#include "model/dump.h"

// What one sampled object of a class stands for.  If it may be smaller than its class there are two
// readings, that it is of the size of the class and that it is as small as it can be: the estimates
// are in the middle.
struct hp_class_weight {
    double objects, least_objects, most_objects;
    double bytes, least_bytes, most_bytes;
    double variance; // of the bytes, the larger
    uint64_t size, least_size;
};

// By class, for one period.  {0} is ready for hp_class_weights_init().
struct hp_class_weights {
    uint64_t period;
    bool has_pages;
    struct hp_class_weight of[HP_SIZE_CLASSES];
};

// Does nothing if it was made so already.  `rate` is hp_byte_rate() of the period; has_pages: a
// large object is any number of pages, up to the size of its class.
void hp_class_weights_init(struct hp_class_weights *weights, uint64_t period, double rate,
                           bool has_pages);

// How often each class was read, without any doubt, below one leaf.  {0} is empty.
struct hp_prior {
    struct hp_dump_owners owners; // by which leaves are found
    struct hp_index index;
    HP_VEC(struct hp_prior_count) counts;
};

struct hp_prior_count {
    struct {
        uint32_t leaf, class;
    } key; // first, as the index wants it; class HP_SIZE_CLASSES: all together

    uint64_t count;
};

// n objects of a size; nothing if it is that of no class.
void hp_prior_add(struct hp_prior *prior, uint32_t leaf, uint64_t size, uint64_t n);
void hp_prior_clear(struct hp_prior *prior); // keeps nothing

// The estimate of readings that are all there are, one or more.  `prior` may be NULL: all
// readings weigh the same.
struct hp_unbiased hp_estimate_readings(const struct hp_class_weights *weights,
                                        struct hp_readings readings,
                                        struct hp_prior *prior, uint32_t leaf);

enum {
    HP_CLASS_PARTS = 8, // sizes of a line, of more none is told
};

struct hp_class_part {
    uint64_t size;
    struct hp_unbiased of; // with the bounds of all readings
};

// The same, class by class: how many, or 0 if there are too many.
size_t hp_split_readings(const struct hp_class_weights *weights,
                         struct hp_readings readings, struct hp_prior *prior,
                         uint32_t leaf, struct hp_class_part parts[HP_CLASS_PARTS]);

// Widen the bounds of an estimate to those of all readings, of which there is one at least.
void hp_widen_to_readings(const struct hp_class_weights *weights,
                          struct hp_readings readings, struct hp_unbiased *estimate);

// n objects of one class.
struct hp_unbiased hp_estimate_class(const struct hp_class_weights *weights, uint64_t n,
                                     uint64_t size);

// Where large objects may be smaller than their class: bring the estimate of a mix, which takes them
// to be of its size, to the middle of both readings.  `mean` is that of their sizes, and large.
void hp_read_mix_as_pages(const struct hp_class_weights *weights, double mean,
                          struct hp_unbiased *estimate);

#endif
