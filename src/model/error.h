// What is known of the error that sampling leaves in an estimate.
//
// Everything here is added up exactly, so that it is the same in whatever order, or is the
// largest of all.
#ifndef HP_MODEL_ERROR_H
#define HP_MODEL_ERROR_H

#include "model/values.h"

// What the numbers of an estimate are about.
enum hp_column {
    HP_COLUMN_INUSE,
    HP_COLUMN_ALLOC,
    HP_COLUMNS,
};

static inline enum hp_column hp_column_of(enum hp_metric metric) {
    return metric == HP_ALLOC_SPACE || metric == HP_ALLOC_OBJECTS ? HP_COLUMN_ALLOC
                                                                  : HP_COLUMN_INUSE;
}

static inline enum hp_metric hp_space_of(enum hp_column column) {
    return column == HP_COLUMN_INUSE ? HP_INUSE_SPACE : HP_ALLOC_SPACE;
}

static inline enum hp_metric hp_objects_of(enum hp_column column) {
    return column == HP_COLUMN_INUSE ? HP_INUSE_OBJECTS : HP_ALLOC_OBJECTS;
}

static inline struct hp_count hp_count_in(const struct hp_counts *counts,
                                          enum hp_column column) {
    return column == HP_COLUMN_INUSE ? counts->inuse : counts->alloc;
}

enum {
    HP_ERROR_FRACTION = 20,     // bits after the binary point of objects_variance
    HP_ERROR_MIXED = 1 << 0,    // sizes are mixed: nothing is known of the objects' error
    HP_ERROR_AT_LEAST = 1 << 1, // there may be any number of objects more
    HP_ERROR_UNCOUNTED = 1 << 2, // nor is it told how many were sampled
};

// How the sizes behind a stack's numbers were read.
enum hp_read {
    HP_READ_UNIQUE,  // no others could have printed them
    HP_READ_SEVERAL, // others could, or not all were tried
    HP_READ_NONE,    // they are of a mix that no one can tell
    HP_READS,
};

// {0}: nothing was sampled, or everything.
struct hp_error {
    hp_int128 variance;         // bound of that of the bytes; bytes^2
    hp_int128 objects_variance; // of the objects; 2^-20 objects^2
    // In 64 bits a million processes that allocated 18 TB each would be too many.
    hp_uint128 observed_bytes;   // bytes that were seen themselves
    hp_uint128 hidden_bytes_max; // that other sizes may hide, beyond the estimate
    hp_uint128 excess_bytes_max; // that the estimate may have for the sizes it assumes
    uint64_t samples;        // objects sampled: 0, 1, or with 2 and more at least those
    uint64_t period;         // the largest; 0 where everything is sampled
    double max_weight;       // objects that one sample stands for, the largest
    unsigned flags;          // of any
    uint32_t read[HP_READS]; // stacks of each; no more than UINT32_MAX
};

// False if a sum does not fit; *sum is then unusable.  Here, so that whoever knows that it fits
// pays for the additions alone: reports do little else.
static inline bool hp_error_add(struct hp_error *sum, const struct hp_error *e) {
    bool overflow = __builtin_add_overflow(sum->variance, e->variance, &sum->variance);
    overflow |= __builtin_add_overflow(sum->objects_variance, e->objects_variance,
                                       &sum->objects_variance);
    overflow |= __builtin_add_overflow(sum->observed_bytes, e->observed_bytes,
                                       &sum->observed_bytes);
    if ((e->hidden_bytes_max | e->excess_bytes_max) != 0) { // of few
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
