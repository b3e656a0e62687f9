// The numbers of a part of a stack (struct hp_size_part), and a prediction of each, so
// that only differences have to be stored. Estimates of equally many objects of one size,
// sampled equally often, are the same in every stack: that is why predictions are mostly
// right.
#ifndef HP_PARTIAL_PART_NUMBERS_H
#define HP_PARTIAL_PART_NUMBERS_H

#include "model/sizes.h"

// The order matters: each number is predicted from the numbers before it.
enum hp_part_number {
    HP_PART_SAMPLES,  // objects sampled
    HP_PART_PERIOD,   // largest sample period, in bytes
    HP_PART_FLAGS,    // HP_ERROR_MIXED and others
    HP_PART_OBJECTS,  // estimate, fixed point
    HP_PART_BYTES,    // estimate, fixed point
    HP_PART_WEIGHT,   // bits of a double: objects that one sample represents, at most
    HP_PART_VARIANCE, // of the bytes
    HP_PART_OBJECTS_VARIANCE, // of the objects
    HP_PART_OBSERVED,         // bytes that were sampled themselves
    HP_PART_HIDDEN,           // bytes that other sizes may hide, at most
    HP_PART_EXCESS,           // bytes that the estimate may have too many, at most
    HP_PART_UNIQUE,           // stacks whose sizes were read as HP_READ_UNIQUE
    HP_PART_SEVERAL,          // stacks read as HP_READ_SEVERAL
    HP_PART_NONE,             // stacks read as HP_READ_NONE
    HP_PART_NUMBERS,
};

// The numbers of one part, by enum hp_part_number; all are modulo 2^128.
struct hp_part_numbers {
    hp_uint128 of[HP_PART_NUMBERS];
};

// Collect the numbers of a part.
struct hp_part_numbers hp_part_numbers_of(const struct hp_size_part *part);

// Store numbers in a part. Returns false if one is out of range.
HP_MUST_CHECK bool hp_part_numbers_get(const struct hp_part_numbers *numbers,
                                       struct hp_size_part *part);

// Add the numbers of a part to `sum`, which begins as {0}. Flags are combined, period and
// weight are the largest: the result is the numbers of the whole stack, if it is the sum
// of its parts.
void hp_part_numbers_add(struct hp_part_numbers *sum, const struct hp_part_numbers *part);

// The numbers of the part with most samples, for each size and period.
struct hp_known_part {
    uint64_t key[2]; // size, period; first member, as struct hp_index requires
    hp_uint128 samples, objects, bytes, weight, variance, objects_variance;
};

// Estimated bytes per sample of objects of one size: bytes / samples, of the part for
// which this is least. Parts with more bytes per sample include dumps of a longer sample
// period.
struct hp_sample_unit {
    uint64_t size;             // first member, as struct hp_index requires
    hp_uint128 bytes, samples; // fixed point; count
};

// The parts of a block seen so far, by which the next ones are predicted. {0} is empty.
struct hp_part_context {
    struct hp_index index;              // of `known`, by key
    HP_VEC(struct hp_known_part) known; // one for each size and period
    uint32_t last;                      // index in `known` of the part looked up last
    // Period of the last part; flags of the last part of mixed sizes.
    hp_uint128 period, mixed_flags;
    struct hp_index unit_index;          // of `units`, by size
    HP_VEC(struct hp_sample_unit) units; // one for each size
    uint32_t last_unit;                  // index in `units` of the unit looked up last
};

// Compute by how much each number of a part differs from its prediction, or restore the
// numbers from these differences. Only size and is_likely of the part are used. Both add
// the part to the context, so that writer and reader make the same predictions.
void hp_part_numbers_write(struct hp_part_context *context,
                           const struct hp_size_part *part,
                           struct hp_part_numbers *numbers, struct hp_part_numbers *off);
void hp_part_numbers_read(struct hp_part_context *context,
                          const struct hp_size_part *part,
                          struct hp_part_numbers *numbers, struct hp_part_numbers *off);

// The size of `count` units in whole bytes, rounded; and the number of units that is
// closest to `sum` whole bytes.
hp_uint128 hp_sample_units(const struct hp_sample_unit *unit, hp_uint128 count);
hp_uint128 hp_sample_units_in(const struct hp_sample_unit *unit, hp_int128 sum);

// Record a part of a size; and find the unit of a size, or NULL if no part of it with
// samples was recorded.
void hp_part_context_add_unit(struct hp_part_context *context, uint64_t size,
                              const struct hp_part_numbers *numbers);
const struct hp_sample_unit *hp_part_context_unit(struct hp_part_context *context,
                                                  uint64_t size);

// Forget all parts, as at the end of a block, and free the memory.
void hp_part_context_clear(struct hp_part_context *context);

#endif
