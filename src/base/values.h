// Two kinds of numbers that must never be added to one another: counts of samples as a
// dump prints them (struct hp_count), and estimates of what the process did (struct
// hp_values).
#ifndef HP_BASE_VALUES_H
#define HP_BASE_VALUES_H

#include "base/hash.h"
#include "hprof-agg/hprof-agg.h"

// A number of objects and their bytes, as a dump prints them: sampled allocations only.
// Counts are not additive, because undoing the sampling is not linear; only
// calc/unbias.c interprets them.
struct hp_count {
    uint64_t objects, bytes;
};

// The printed counts of one stack: memory in use, and all memory ever allocated.
struct hp_counts {
    struct hp_count inuse, alloc;
};

// Hash a printed count, for tables that find what is known of equal counts.  The hash has
// no random key, so that two runs of this program read a dump in the same way.
static inline uint64_t hp_count_hash(struct hp_count count) {
    return hp_hash_mix(count.objects ^ 0x9e3779b97f4a7c15,
                       count.bytes ^ 0xe7037ed1a0b428db);
}

// Whether a counter has wrapped below zero.  A race, or more than 2^31 objects, can drive
// the counters of a program below zero; they are printed as unsigned numbers near 2^64.
static inline bool hp_count_is_wrapped(const struct hp_count *count) {
    const uint64_t wrapped_from = (uint64_t)1 << 62;
    return count->objects >= wrapped_from || count->bytes >= wrapped_from;
}

// An estimate of what the process did: an exact sum in fixed point, so that the order of
// the additions does not matter.  The unit is 2^-20 bytes for space, and 2^-32 objects
// for objects.
typedef hp_int128 hp_fixed;

// Bits after the binary point of an hp_fixed.
enum {
    HP_SPACE_FRACTION = 20,
    HP_OBJECTS_FRACTION = 32,
};

// The estimates of all metrics.  They are additive; in a difference of profiles they may
// be negative.
struct hp_values {
    hp_fixed of[HP_METRICS];
};

// Return the number of bits after the binary point of the fixed-point values of a metric.
static inline int hp_fraction(enum hp_metric metric) {
    return metric == HP_INUSE_SPACE || metric == HP_ALLOC_SPACE ? HP_SPACE_FRACTION
                                                                : HP_OBJECTS_FRACTION;
}

// Add `values` to `*sum`.  Returns false if a sum does not fit; `*sum` is then unusable.
static inline bool hp_values_add(struct hp_values *sum, const struct hp_values *values) {
    bool overflow = false;
    for (int i = 0; i < HP_METRICS; i++) {
        overflow |= __builtin_add_overflow(sum->of[i], values->of[i], &sum->of[i]);
    }
    return !overflow;
}

// Round to the nearest whole byte or object, halves away from zero.
static inline hp_int128 hp_fixed_round(hp_fixed value, enum hp_metric metric) {
    int fraction = hp_fraction(metric);
    hp_int128 half = (hp_int128)1 << (fraction - 1);
    return value < 0 ? -((-value + half) >> fraction) : (value + half) >> fraction;
}

// Convert a value to bytes or objects.  The result is inexact if the value has more than
// 53 significant bits.
static inline double hp_fixed_double(hp_fixed value, enum hp_metric metric) {
    return (double)value / (double)((uint64_t)1 << hp_fraction(metric));
}

#endif
