// Whether jemalloc forgot its samples between two dumps of a process (prof.reset).
//
// With prof_accum the number of objects that a stack ever allocated only grows, as it is printed, too.
// Bytes as they are rewritten do not: they fall where small objects join large ones.  So of two dumps
// one has no count above the other's, or something was forgotten between them.
#ifndef HP_MODEL_MADE_COUNTS_H
#define HP_MODEL_MADE_COUNTS_H

#include "model/dump.h"
#include "model/input.h"

// Sums over stacks, told apart by their addresses, which are the same in all dumps of a process: a sum of
// numbers that only grow only grows.
struct hp_made_counts *hp_made_counts_of(const struct hp_dump *dump);

enum hp_reset {
    HP_RESET_NONE,   // or nothing shows it
    HP_RESET_ORDER,  // counts are as if the second had been made before the first
    HP_RESET_COUNTS, // they are in neither order
    HP_RESET_PERIOD, // the period is another
};

static inline bool hp_reset_is_certain(enum hp_reset reset) {
    return reset >= HP_RESET_COUNTS;
}

// The order of two dumps of one process.
enum hp_reset hp_reset_between(const struct hp_input_record *a,
                               const struct hp_input_record *b);

void hp_made_counts_free(struct hp_made_counts *counts); // NULL is fine

#endif
