// Of n objects of class S, with what sizeclass.h keeps of each, jemalloc prints
//
//     C = n shifted_objects / 8, B = n unbiased_size, q = 1 - e^(-(B/C)/R)
//     c' = round(C q), b' = round(B q)
//
// Try the classes near b'/c' and the n near c'/q, and see which pair it would have printed so.
#include "calc/recover_size.h"

#include "calc/probability.h"

static uint64_t distance(uint64_t a, uint64_t b) {
    return a > b ? a - b : b - a;
}

// Would n objects of this class be printed as `count`?  As prof_do_unbias() in jemalloc;
// beyond 2^50 its own rounding is not reproduced to the last unit.
static bool prints_as(const struct hp_size_class *class, double period, uint64_t n,
                      struct hp_count count) {
    double objects = (double)(n * class->shifted_objects) / 8;
    double bytes = (double)(n * class->unbiased_size);
    double mean = bytes / objects;
    double sampled_bytes = bytes * hp_one_minus_exp_naive(mean / period);
    uint64_t printed_objects = (uint64_t)(sampled_bytes / mean + 0.5);
    uint64_t printed_bytes = (uint64_t)(sampled_bytes + 0.5);
    return distance(printed_objects, count.objects) <= count.objects >> 50 &&
           distance(printed_bytes, count.bytes) <= count.bytes >> 50;
}

// How many objects of this class make `count`; 0 if no number does.
static uint64_t count_of_class(const struct hp_size_class *class, double period,
                               struct hp_count count) {
    double objects = (double)class->shifted_objects / 8;
    if (class->shifted_objects == 0) {
        return 0;
    }
    double mean = (double)class->unbiased_size / objects;
    double printed = objects * hp_one_minus_exp_naive(mean / period); // by one object
    double low = ((double)count.objects - 0.5) / printed;
    double high = ((double)count.objects + 0.5) / printed + 1;
    if (high * (double)class->unbiased_size > 0x1p63 ||
        high * (double)class->shifted_objects > 0x1p63) {
        return 0;
    }
    for (uint64_t n = low < 1 ? 1 : (uint64_t)low; (double)n <= high; n++) {
        if (prints_as(class, period, n, count)) {
            return n;
        }
    }
    return 0;
}

bool hp_recover_size(const struct hp_size_classes *classes, struct hp_count count,
                     uint64_t *n, uint64_t *size) {
    int middle = hp_class_below(count.bytes / count.objects);
    int first = middle < 2 ? 0 : middle - 2;
    int last = middle + 2 < HP_SIZE_CLASSES ? middle + 2 : HP_SIZE_CLASSES - 1;
    for (int i = first; i <= last; i++) {
        const struct hp_size_class *class = &classes->of[i];
        *n = count_of_class(class, (double)classes->period, count);
        if (*n > 0) {
            *size = class->size;
            return true;
        }
    }
    return false;
}
