// Ranges of ages, as keys of struct hp_sizes: as many as are kept of a stack, so that no stack has
// too many of them.
//
// Below 1 s by powers of ten from 1 ms on, then by powers of two, up to all from 2^27 s, four years,
// on.
#ifndef HP_MODEL_AGES_H
#define HP_MODEL_AGES_H

#include "model/sizes.h"

enum {
    HP_NO_AGE = HP_MIXED_SIZES, // of what is not told
    HP_AGES = HP_SIZES_OF_STACK // 1 ... HP_AGES are the ranges, the youngest first
};

// The range of an age in ns.
uint64_t hp_age_range_of(uint64_t age);

// Its ends: from the one on, and below the other, which is UINT64_MAX of the last.
uint64_t hp_age_range_low(uint64_t range);
uint64_t hp_age_range_high(uint64_t range);

// One of them in seconds; NAN where there is none, as of range 0.
double hp_age_range_seconds(uint64_t range, bool is_low);

// Why there is no report.
#define HP_NO_AGES_TOLD                                                        \
    "nothing to report: no input lists its objects with their ages, as dumps " \
    "of ClickHouse's jemalloc do"

// "10 ms to 100 ms", "4,096 s to 8,192 s"; `out` has room for HP_NUMBER_SIZE.
void hp_age_range_format(char *out, uint64_t range);

#endif
