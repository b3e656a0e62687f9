// The size of objects of one size, recovered from numbers that jemalloc rewrote (prof_unbias).
#ifndef HP_CALC_RECOVER_SIZE_H
#define HP_CALC_RECOVER_SIZE_H

#include "model/values.h"

#include <stdbool.h>
#include <stdint.h>

// jemalloc's size classes, and what it keeps of one sampled object of each.

enum {
    HP_SIZE_CLASSES = 236, // 8 bytes to 7 * 2^61
    HP_PAGE = 4096,
    HP_LARGE_FROM = 32768, // above that jemalloc 5.3.1 may round sizes up to pages alone
};

struct hp_size_class {
    uint64_t size;
    uint64_t unbiased_size;   // round(size / p)
    uint64_t shifted_objects; // round(8 / p)
    double share;             // p once more, of these
};

// For one sample period; p is the probability that an object of the class is sampled.
struct hp_size_classes {
    uint64_t period; // 0: not filled in
    struct hp_size_class of[HP_SIZE_CLASSES];
};

// Does nothing if it was made for this period already.
void hp_size_classes_init(struct hp_size_classes *classes, uint64_t period);

// The size of class i.
uint64_t hp_class_size(int i);

// The last class of at most `size` bytes; 0 also for less than 8.
int hp_class_below(uint64_t size);

bool hp_is_class_size(uint64_t size);

// Whether the objects of a line that was not rewritten may be all of one size.
bool hp_is_one_raw_size(struct hp_count count);

// Whether jemalloc prints `count` for what it has summed up of sampled objects.
bool hp_prints_as(uint64_t shifted_objects, uint64_t unbiased_bytes, uint64_t period,
                  struct hp_count count);

// True, with n and their size, if `count` is what jemalloc prints for n objects of one size.
bool hp_recover_size(const struct hp_size_classes *classes, struct hp_count count,
                     uint64_t *n, uint64_t *size);

#endif
