// The error that sampling leaves in an estimate.
//
// Every member is an exact sum or a maximum, so that the order of the additions does not
// matter.
#ifndef HP_BASE_ERROR_H
#define HP_BASE_ERROR_H

#include "base/values.h"

#include <string.h>

// The two kinds of numbers of a dump: memory in use, and all memory ever allocated.
enum hp_column {
    HP_COLUMN_INUSE,
    HP_COLUMN_ALLOC,
    HP_COLUMNS,
};

// Return the column that a metric belongs to.
static inline enum hp_column hp_column_of(enum hp_metric metric) {
    return metric == HP_ALLOC_SPACE || metric == HP_ALLOC_OBJECTS ? HP_COLUMN_ALLOC
                                                                  : HP_COLUMN_INUSE;
}

// Return the metric of the bytes of a column.
static inline enum hp_metric hp_space_of(enum hp_column column) {
    return column == HP_COLUMN_INUSE ? HP_INUSE_SPACE : HP_ALLOC_SPACE;
}

// Return the metric of the objects of a column.
static inline enum hp_metric hp_objects_of(enum hp_column column) {
    return column == HP_COLUMN_INUSE ? HP_INUSE_OBJECTS : HP_ALLOC_OBJECTS;
}

// Return the printed counts of one column.
static inline struct hp_count hp_count_in(const struct hp_counts *counts,
                                          enum hp_column column) {
    return column == HP_COLUMN_INUSE ? counts->inuse : counts->alloc;
}

// Flags of struct hp_error, and the fixed point of its objects_variance.
enum {
    HP_ERROR_FRACTION = 20,  // bits after the binary point of objects_variance
    HP_ERROR_MIXED = 1 << 0, // sizes are mixed: the error of the objects is unknown
    // The estimate is a lower bound: any number of objects may be missing.
    HP_ERROR_AT_LEAST = 1 << 1,
    HP_ERROR_UNCOUNTED = 1 << 2, // the number of sampled objects is unknown as well
};

// How the object sizes were recovered from the numbers of a stack.
enum hp_read {
    HP_READ_UNIQUE,  // no other sizes could have printed these numbers
    HP_READ_SEVERAL, // other sizes could, or not all were tried
    HP_READ_NONE,    // the stack has a mix of sizes that cannot be separated
    HP_READS,
};

// The error of one estimate.  {0}: nothing was sampled, or every allocation was.
struct hp_error {
    hp_int128 variance; // upper bound of the variance of the bytes, in bytes^2
    // Upper bound of the variance of the objects, in 2^-20 objects^2.
    hp_int128 objects_variance;
    // These three have 128 bits because 64 do not hold the sum of a million processes
    // that allocated 18 TB each.
    hp_uint128 observed_bytes; // bytes of the sampled objects themselves
    // Upper bound of the bytes that the estimate may lack, because the printed numbers
    // may hide objects of other sizes.
    hp_uint128 hidden_bytes_max;
    // Upper bound of the bytes that the estimate has in excess, if the sizes that it
    // assumes are wrong.
    hp_uint128 excess_bytes_max;
    // Sampled objects; exact if 0 or 1, otherwise a lower bound that is at least 2.
    uint64_t samples;
    uint64_t period;   // the largest sample period; 0 if everything was sampled
    double max_weight; // the largest number of objects that one sample represents
    unsigned flags;    // HP_ERROR_ flags of any summand
    // Number of summands (stacks of one dump) by the way their object sizes were
    // recovered; saturates at UINT32_MAX.
    uint32_t read[HP_READS];
};

// Each member of struct hp_error, in the order of the history and of partials: X(member,
// kind, name).  The kind says how it is stored: SIGNED and LONG have 128 bits, WORD 64,
// SHORT and CHOICE 32; DOUBLE is finite and not negative.  `name` is what enum
// hp_part_number (partial/stack_codec.h) calls it.
#define HP_EACH_ERROR_MEMBER(X)                   \
    X(variance, SIGNED, VARIANCE)                 \
    X(objects_variance, SIGNED, OBJECTS_VARIANCE) \
    X(observed_bytes, LONG, OBSERVED)             \
    X(hidden_bytes_max, LONG, HIDDEN)             \
    X(excess_bytes_max, LONG, EXCESS)             \
    X(samples, WORD, SAMPLES)                     \
    X(period, WORD, PERIOD)                       \
    X(max_weight, DOUBLE, WEIGHT)                 \
    X(flags, CHOICE, FLAGS)                       \
    X(read[HP_READ_UNIQUE], SHORT, UNIQUE)        \
    X(read[HP_READ_SEVERAL], SHORT, SEVERAL)      \
    X(read[HP_READ_NONE], SHORT, NONE)

// The bits of a double as a number, and the double with these bits.
static inline uint64_t hp_bits_of_double(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static inline double hp_double_of_bits(uint64_t bits) {
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

// Add `e` to `*sum`.  Returns false if a sum does not fit; `*sum` is then unusable.  The
// function is inline so that a caller who knows that the sums fit pays for the additions
// only: reports do little else.
static inline bool hp_error_add(struct hp_error *sum, const struct hp_error *e) {
    bool overflow = __builtin_add_overflow(sum->variance, e->variance, &sum->variance);
    overflow |= __builtin_add_overflow(sum->objects_variance, e->objects_variance,
                                       &sum->objects_variance);
    overflow |= __builtin_add_overflow(sum->observed_bytes, e->observed_bytes,
                                       &sum->observed_bytes);
    if ((e->hidden_bytes_max | e->excess_bytes_max) != 0) { // few errors have these
        overflow |= __builtin_add_overflow(sum->hidden_bytes_max, e->hidden_bytes_max,
                                           &sum->hidden_bytes_max);
        overflow |= __builtin_add_overflow(sum->excess_bytes_max, e->excess_bytes_max,
                                           &sum->excess_bytes_max);
    }
    overflow |= __builtin_add_overflow(sum->samples, e->samples, &sum->samples);
    sum->period = sum->period > e->period ? sum->period : e->period;
    sum->max_weight = sum->max_weight > e->max_weight ? sum->max_weight : e->max_weight;
    sum->flags |= e->flags;
    for (int i = 0; i < HP_READS; i++) {
        uint32_t read = sum->read[i] + e->read[i];
        sum->read[i] = read < e->read[i] ? UINT32_MAX : read;
    }
    return !overflow;
}

#endif
