// The numbers of a part of a stack, and what each is likely to be: estimates of as many objects of
// one size, sampled as often, are the same, whichever stack they are of.
#ifndef HP_PARTIAL_PART_NUMBERS_H
#define HP_PARTIAL_PART_NUMBERS_H

#include "model/sizes.h"

// In this order, so that what is expected of one is told by those before it.
enum hp_part_number {
    HP_PART_SAMPLES,
    HP_PART_PERIOD,
    HP_PART_FLAGS,
    HP_PART_OBJECTS,
    HP_PART_BYTES,
    HP_PART_WEIGHT, // the bits of a double
    HP_PART_VARIANCE,
    HP_PART_OBJECTS_VARIANCE,
    HP_PART_OBSERVED,
    HP_PART_HIDDEN,
    HP_PART_EXCESS,
    HP_PART_UNIQUE,
    HP_PART_SEVERAL,
    HP_PART_NONE,
    HP_PART_NUMBERS,
};

// All modulo 2^128.
struct hp_part_numbers {
    hp_uint128 of[HP_PART_NUMBERS];
};

struct hp_part_numbers hp_part_numbers_of(const struct hp_size_part *part);

// False if one is none that a part can have.
HP_MUST_CHECK bool hp_part_numbers_get(const struct hp_part_numbers *numbers,
                                       struct hp_size_part *part);

// Those of the whole, if it is the sum of its parts: begin with {0}.
void hp_part_numbers_add(struct hp_part_numbers *sum, const struct hp_part_numbers *part);

// What is asked of the part of a size and period that had most samples.
struct hp_known_part {
    uint64_t key[2]; // size, period; first, as the index wants it
    hp_uint128 samples, objects, bytes, weight, variance, objects_variance;
};

// What a sample of objects of one size stands for: bytes / samples, of the part where that was least.
// Of others some dumps had longer periods.
struct hp_sample_unit {
    uint64_t size; // first, as the index wants it
    hp_uint128 bytes, samples;
};

// The parts of a block that were met so far.  {0} is empty.
struct hp_part_context {
    struct hp_index index;
    HP_VEC(struct hp_known_part) known;
    uint32_t last;                  // of these that was looked for
    hp_uint128 period, mixed_flags; // of the last part
    struct hp_index unit_index;
    HP_VEC(struct hp_sample_unit) units; // of each size
    uint32_t last_unit;                  // of these that was looked for
};

// By how much each number of a part is off from what is expected, and from that the numbers again.
// Of the part its size is asked, and whether it is likely; it has been met then.
void hp_part_numbers_write(struct hp_part_context *context,
                           const struct hp_size_part *part,
                           struct hp_part_numbers *numbers, struct hp_part_numbers *off);
void hp_part_numbers_read(struct hp_part_context *context,
                          const struct hp_size_part *part,
                          struct hp_part_numbers *numbers, struct hp_part_numbers *off);

// So many units in whole bytes; and how many come closest to a sum.
hp_uint128 hp_sample_units(const struct hp_sample_unit *unit, hp_uint128 count);
hp_uint128 hp_sample_units_in(const struct hp_sample_unit *unit, hp_int128 sum);

// The unit of a size, or NULL where no part of it was met that has samples.
void hp_part_context_add_unit(struct hp_part_context *context, uint64_t size,
                              const struct hp_part_numbers *numbers);
const struct hp_sample_unit *hp_part_context_unit(struct hp_part_context *context,
                                                  uint64_t size);

void hp_part_context_clear(struct hp_part_context *context);

#endif
