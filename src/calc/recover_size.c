// jemalloc prints n sampled objects of a size class, from the numbers that it keeps for
// each class (struct hp_size_class), as c' objects of b' bytes, where C and B are its
// estimates of all objects and their bytes, and R is the sample period:
//
//     C = n shifted_objects / 8, B = n unbiased_size, q = 1 - e^(-(B/C)/R)
//     c' = round(C q), b' = round(B q)
//
// Try the classes near b'/c' and the n near c'/q, and look for a pair that is printed
// like that.
#include "calc/recover_size.h"

#include "calc/probability.h"

// --- size classes ----------------------------------------------------------------------

// Classes are 8; 16, 32, 48, 64 (16 apart up to 128); then four to a doubling:
// (4 + k) / 4 * 2^j, k = 1 ... 4.  See jemalloc's include/jemalloc/internal/sc.h.

uint64_t hp_class_size(int i) {
    if (i == 0) {
        return 8;
    }
    if (i <= 4) {
        return (uint64_t)i * 16;
    }
    int group = (i - 5) / 4, step = (i - 5) % 4 + 1; // group 0 is (64, 128]
    return (uint64_t)(4 + step) << (4 + group);
}

int hp_class_below(uint64_t size) {
    if (size < 64) {
        return (int)(size / 16);
    }
    int doubling = 63 - __builtin_clzll(size); // `size` is 4 to 7 quarters of 2^doubling
    int i = 4 * (doubling - 6) + (int)(size >> (doubling - 2));
    return i < HP_SIZE_CLASSES ? i : HP_SIZE_CLASSES - 1;
}

bool hp_is_class_size(uint64_t size) {
    return hp_class_size(hp_class_below(size)) == size;
}

bool hp_is_one_raw_size(struct hp_count count) {
    uint64_t size = count.bytes / count.objects;
    return count.bytes % count.objects == 0 &&
           (count.objects == 1 || hp_is_class_size(size));
}

// Return the share of the objects of a class that jemalloc takes to be sampled.
static double share_of(const struct hp_size_class *class, uint64_t period) {
    double objects = (double)class->shifted_objects / 8;
    return objects > 0 ? hp_one_minus_exp_naive((double)class->unbiased_size / objects /
                                                (double)period)
                       : 0;
}

// Compute all size classes with the arithmetic of jemalloc's prof_unbias_map_init().
void hp_size_classes_init(struct hp_size_classes *classes, uint64_t period) {
    if (classes->period == period) {
        return;
    }
    classes->period = period;
    for (int i = 0; i < HP_SIZE_CLASSES; i++) {
        double size = (double)hp_class_size(i);
        double p = hp_one_minus_exp_naive(size / (double)period);
        // Objects of this class can be sampled at all; otherwise one sample would
        // represent more objects or bytes than a number can hold.
        bool sampled = 8 / p < 0x1p62 && size / p < 0x1p63;
        classes->of[i] = (struct hp_size_class){
            .size = hp_class_size(i),
            .unbiased_size = sampled ? (uint64_t)(size / p + 0.5) : 0,
            .shifted_objects = sampled ? (uint64_t)(8 / p + 0.5) : 0,
        };
        classes->of[i].share = share_of(&classes->of[i], period);
    }
}

// --- the size of the objects of a line -------------------------------------------------

static uint64_t distance(uint64_t a, uint64_t b) {
    return a > b ? a - b : b - a;
}

// Return whether jemalloc prints `count` if its estimate for all objects, sampled or not,
// is `bytes` bytes.  `mean`: bytes of one object; `share`: share of the objects that is
// sampled, so that jemalloc prints this share of the bytes.
static bool prints(double bytes, double mean, double share, struct hp_count count) {
    double sampled_bytes = bytes * share;
    uint64_t printed_bytes = (uint64_t)(sampled_bytes + 0.5);
    return distance(printed_bytes, count.bytes) <= count.bytes >> 50 &&
           distance((uint64_t)(sampled_bytes / mean + 0.5), count.objects) <=
               count.objects >> 50;
}

// Return whether jemalloc prints `count` for these sums, with the arithmetic of its
// prof_do_unbias().  Beyond 2^50 jemalloc's rounding is not reproduced to the last unit.
bool hp_prints_as(uint64_t shifted_objects, uint64_t unbiased_bytes, uint64_t period,
                  struct hp_count count) {
    double objects = (double)shifted_objects / 8, bytes = (double)unbiased_bytes;
    double mean = bytes / objects;
    return prints(bytes, mean, hp_one_minus_exp_naive(mean / (double)period), count);
}

// Return the same as count_of_class() for numbers that a double cannot represent exactly.
static uint64_t large_count_of_class(const struct hp_size_class *class, uint64_t period,
                                     struct hp_count count) {
    double shifted = (double)class->shifted_objects, bytes = (double)class->unbiased_size;
    double printed = shifted / 8 * class->share; // printed objects for each sampled one
    double low = ((double)count.objects - 0.5) / printed;
    double high = ((double)count.objects + 0.5) / printed + 1;
    if (high * bytes > 0x1p63 || high * shifted > 0x1p63) {
        return 0;
    }
    for (uint64_t n = low < 1 ? 1 : (uint64_t)low; (double)n <= high; n++) {
        if (hp_prints_as(n * class->shifted_objects, n * class->unbiased_size, period,
                         count)) {
            return n;
        }
    }
    return 0;
}

// Return the number of objects of this class that print as `count`; 0 if no number does.
// One object prints as 7 bytes or more, so only the number that follows from the bytes is
// possible.
static uint64_t count_of_class(const struct hp_size_class *class, uint64_t period,
                               struct hp_count count) {
    double shifted = (double)class->shifted_objects, bytes = (double)class->unbiased_size;
    if (class->share == 0) { // such objects are never sampled
        return 0;
    }
    double n = (double)(uint64_t)((double)count.bytes / (bytes * class->share) + 0.5);
    if (n * bytes > 0x1p50 || n * shifted > 0x1p50) {
        return large_count_of_class(class, period, count);
    }
    double mean = bytes / (shifted / 8); // the same for any number of them
    return n > 0 && prints(n * bytes, mean, class->share, count) ? (uint64_t)n : 0;
}

bool hp_recover_size(const struct hp_size_classes *classes, struct hp_count count,
                     uint64_t *n, uint64_t *size) {
    int middle = hp_class_below(count.bytes / count.objects);
    int first = middle < 2 ? 0 : middle - 2;
    int last = middle + 2 < HP_SIZE_CLASSES ? middle + 2 : HP_SIZE_CLASSES - 1;
    for (int i = first; i <= last; i++) {
        const struct hp_size_class *class = &classes->of[i];
        *n = count_of_class(class, classes->period, count);
        if (*n > 0) {
            *size = class->size;
            return true;
        }
    }
    return false;
}
