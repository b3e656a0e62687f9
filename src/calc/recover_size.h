// Recover the size of objects that are all of one size from the objects and bytes of a
// stack, as jemalloc 5.3 or later rewrites them (prof_unbias) before it prints them.
#ifndef HP_CALC_RECOVER_SIZE_H
#define HP_CALC_RECOVER_SIZE_H

#include "base/values.h"

#include <stdbool.h>
#include <stdint.h>

// Jemalloc's size classes, and what it keeps of one sampled object of each.

enum {
    HP_SIZE_CLASSES = 236, // 8 bytes to 7 * 2^61
    HP_PAGE = 4096,        // bytes; jemalloc's page
    // Bytes; sizes above it are large: jemalloc 5.3.1 may round them to pages only.
    HP_LARGE_FROM = 32768,
};

// A size class, and the numbers that jemalloc keeps for one sampled object of it.  p is
// the probability that an object of the class is sampled.
struct hp_size_class {
    uint64_t size;            // bytes
    uint64_t unbiased_size;   // round(size / p), bytes; 0: such objects are never sampled
    uint64_t shifted_objects; // round(8 / p), eighths of objects
    double share;             // p again, computed back from the two rounded numbers
};

// All size classes for one sample period.
struct hp_size_classes {
    uint64_t period; // sample period in bytes; 0: not filled in
    struct hp_size_class of[HP_SIZE_CLASSES];
};

// Fill in the classes.  Does nothing if they were made for this period already.
void hp_size_classes_init(struct hp_size_classes *classes, uint64_t period);

// Return the size of class i in bytes.
uint64_t hp_class_size(int i);

// Return the number of the largest class of at most `size` bytes; 0 also for less than 8
// bytes.
int hp_class_below(uint64_t size);

// Return whether `size` is the size of a class.
bool hp_is_class_size(uint64_t size);

// Return whether the objects of a raw line (sampled counts that jemalloc did not rewrite)
// may all have the same size.  count.objects > 0.
bool hp_is_one_raw_size(struct hp_count count);

// Return whether jemalloc, when it rewrites numbers, prints `count` for sampled objects
// whose shifted_objects and unbiased_size (struct hp_size_class) have these sums.
bool hp_prints_as(uint64_t shifted_objects, uint64_t unbiased_bytes, uint64_t period,
                  struct hp_count count);

// Return whether `count` is what jemalloc, when it rewrites numbers, prints for objects
// of a single class.  If so, set the number *n of sampled objects, and their *size in
// bytes.  count.objects > 0.
bool hp_recover_size(const struct hp_size_classes *classes, struct hp_count count,
                     uint64_t *n, uint64_t *size);

#endif
