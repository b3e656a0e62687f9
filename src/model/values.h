// Two kinds of numbers that must never be added to one another.
#ifndef HP_MODEL_VALUES_H
#define HP_MODEL_VALUES_H

#include "base/hash.h"
#include "hprof-agg/hprof-agg.h"

// What a dump says: sampled allocations only.  Not additive, because undoing the
// sampling is not linear; only calc/unbias.c looks inside.
struct hp_count {
    uint64_t objects, bytes;
};

struct hp_counts {
    struct hp_count inuse, alloc;
};

// For tables of lines: not keyed, so that what is told of a dump is the same in every process.
static inline uint64_t hp_count_hash(struct hp_count count) {
    return hp_hash_mix(count.objects ^ 0x9e3779b97f4a7c15,
                       count.bytes ^ 0xe7037ed1a0b428db);
}

// A number that only a counter prints that a race or 2^31 objects drove below zero: near 2^64.
static inline bool hp_count_is_wrapped(const struct hp_count *count) {
    const uint64_t wrapped_from = (uint64_t)1 << 62;
    return count->objects >= wrapped_from || count->bytes >= wrapped_from;
}

// What the process did, estimated: an exact sum in fixed point, so that it is the same in
// whatever order it was added up.  The unit is 2^-20 bytes for space and 2^-32 objects.
typedef hp_int128 hp_fixed;

enum {
    HP_SPACE_FRACTION = 20,
    HP_OBJECTS_FRACTION = 32,
};

// Additive; negative in a difference.
struct hp_values {
    hp_fixed of[HP_METRICS];
};

// Bits after the binary point of a metric.
static inline int hp_fraction(enum hp_metric metric) {
    return metric == HP_INUSE_SPACE || metric == HP_ALLOC_SPACE ? HP_SPACE_FRACTION
                                                                : HP_OBJECTS_FRACTION;
}

// False if a sum does not fit; *sum is then unusable.
static inline bool hp_values_add(struct hp_values *sum, const struct hp_values *values) {
    bool overflow = false;
    for (int i = 0; i < HP_METRICS; i++) {
        overflow |= __builtin_add_overflow(sum->of[i], values->of[i], &sum->of[i]);
    }
    return !overflow;
}

// To the nearest whole byte or object, halves away from zero.
static inline hp_int128 hp_fixed_round(hp_fixed value, enum hp_metric metric) {
    int fraction = hp_fraction(metric);
    hp_int128 half = (hp_int128)1 << (fraction - 1);
    return value < 0 ? -((-value + half) >> fraction) : (value + half) >> fraction;
}

static inline double hp_fixed_double(hp_fixed value, enum hp_metric metric) {
    return (double)value / (double)((uint64_t)1 << hp_fraction(metric));
}

#endif
