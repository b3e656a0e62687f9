// Check whether the totals of a dump agree with its stacks, and the counts of its stacks
// with those of their threads; and what the totals add to the estimates of the stacks.
#ifndef HP_CALC_HEADER_CHECK_H
#define HP_CALC_HEADER_CHECK_H

#include "calc/unbias.h"
#include "inputs/input.h"
#include "model/dump.h"

// Compare the totals in the header with the stacks.  Call it on a dump as it was read,
// before any stack is dropped.  Returns HP_HEADER_UNCHECKED if there are no totals, a
// count wrapped around, or the sample period is unknown.
enum hp_header_check hp_header_check(const struct hp_dump *dump,
                                     const struct hp_unbias *unbias);

// Find out how the total in the header of a dump, which agrees with its stacks, changes
// the sum of these in a column: their estimated bytes with the bounds in `error`.
// Returns false if the header is of no use for that; the gain is then unchanged.
HP_MUST_CHECK bool hp_header_gain_of(const struct hp_dump *dump,
                                     const struct hp_unbias *unbias,
                                     enum hp_column column, hp_fixed bytes,
                                     const struct hp_error *error,
                                     struct hp_header_gain *gain);

// Count the stacks whose numbers are inconsistent with those of their threads.  Returns 0
// if that cannot be checked.
uint64_t hp_count_inconsistent_stacks(const struct hp_dump *dump,
                                      const struct hp_unbias *unbias);

#endif
