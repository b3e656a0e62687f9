// Ranges of ages, used as keys of struct hp_sizes.  There are as many ranges as sizes
// that hp_sizes keeps for a stack, so that no stack overflows.
//
// Below 1 s there are four ranges, whose limits are powers of ten from 1 ms.  From 1 s
// each range ends at twice its start.  The last range has no end: it begins at 2^27 s,
// which is four years.
#ifndef HP_MODEL_AGES_H
#define HP_MODEL_AGES_H

#include "model/sizes.h"

enum {
    HP_NO_AGE = HP_MIXED_SIZES, // key of objects whose age is unknown
    HP_AGES = HP_SIZES_OF_STACK // ranges are 1 ... HP_AGES, the youngest first
};

// Return the range that contains an age in nanoseconds.
uint64_t hp_age_range_of(uint64_t age);

// Return the limits of a range in nanoseconds: it contains its low limit but not its high
// limit, which is UINT64_MAX for the last range.
uint64_t hp_age_range_low(uint64_t range);
uint64_t hp_age_range_high(uint64_t range);

// Return the low or the high limit in seconds, or NAN if there is none: for range
// HP_NO_AGE, and for the high limit of the last range.
double hp_age_range_seconds(uint64_t range, bool is_low);

// Error text of a report by age when no input has ages.
#define HP_NO_AGES_KNOWN          \
    HP_MESSAGE("nothing-no-ages", \
               "no input has ages of objects. Dumps of ClickHouse's jemalloc do")

// Write the range as text: "10 ms to 100 ms", "4,096 s to 8,192 s".  `out` must have room
// for HP_NUMBER_SIZE bytes.
void hp_age_range_format(char *out, uint64_t range);

#endif
