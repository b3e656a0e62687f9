// Detects whether jemalloc discarded its samples (prof.reset) between two dumps of a
// process, by "made counts": the number of objects that stacks have ever allocated.
//
// With prof_accum, the number of objects that a stack has ever allocated can only grow,
// and so can the number that is printed.  This does not hold for bytes, which jemalloc
// rewrites: they fall when large objects of a stack are joined by small ones.  So if
// neither of two dumps has all its counts at or above those of the other, samples were
// discarded between them.
#ifndef HP_MODEL_MADE_COUNTS_H
#define HP_MODEL_MADE_COUNTS_H

#include "inputs/input.h"
#include "model/dump.h"

// Return the made counts of a dump: sums of the allocated objects over classes of stacks,
// or NULL if it is no complete jemalloc dump with allocation counts.  Stacks are assigned
// to classes by a hash of their addresses, which are the same in all dumps of a process:
// a sum of growing numbers also grows.  The caller frees the result.
struct hp_made_counts *hp_made_counts_of(const struct hp_dump *dump);

// Result of comparing an earlier and a later dump of a process.
enum hp_reset {
    HP_RESET_NONE, // no reset, or none that can be seen
    // Made counts fall and none rises, as if the dumps had been made in reverse order.
    HP_RESET_ORDER,
    // Some made counts fall from the earlier to the later dump, others rise.
    HP_RESET_COUNTS,
    HP_RESET_PERIOD, // the sample period has changed
};

// Whether jemalloc has discarded samples for certain, by a result of hp_reset_between().
static inline bool hp_reset_is_certain(enum hp_reset reset) {
    return reset >= HP_RESET_COUNTS;
}

// Compare dump `a` with the later dump `b` of the same process.
enum hp_reset hp_reset_between(const struct hp_input_record *a,
                               const struct hp_input_record *b);

#endif
