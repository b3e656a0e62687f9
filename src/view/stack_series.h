// Values of each stack in each dump of a series, stored as changes: a few bytes for each
// dump in which the value of a stack differs from the dump before.  Rows are sums of
// stacks and are made one at a time: a number for every row and dump would take a
// gigabyte.
#ifndef HP_VIEW_STACK_SERIES_H
#define HP_VIEW_STACK_SERIES_H

#include "base/memory.h"
#include "view/visible_frames.h"

// The value of each stack in each dump of a series, stored as changes from dump to dump.
// {0} after hp_stack_series_done().
struct hp_stack_series {
    struct hp_arena arena;
    // One for each stack that was added; sorted by stack after hp_stack_series_sort().
    HP_VEC(struct hp_changes) changes;
    uint32_t dumps; // number of dumps; set by hp_stack_series_sort()
    // By stack: its index in `changes`, + 1; 0: none.  NULL after hp_stack_series_sort().
    uint32_t *of_stack;
};

void hp_stack_series_init(struct hp_stack_series *series, size_t stacks);
void hp_stack_series_done(struct hp_stack_series *series);

// Add a value of a stack in a dump.  Dumps must come in order, from 0 on.  Values of the
// same stack and dump add up; a stack without a value in a dump is 0 there.
void hp_stack_series_add(struct hp_stack_series *series, uint32_t stack, uint32_t dump,
                         hp_fixed value);

// Finish the series of `dumps` dumps, after all values have been added.
void hp_stack_series_sort(struct hp_stack_series *series, uint32_t dumps);

// --- rows -----------------------------------------------------------------------------------

struct hp_row_values;

// Make a buffer for rows: the nodes of `members`, in series of at most `dumps` dumps.
struct hp_row_values *hp_row_values_new(const struct hp_members *members, size_t dumps);
void hp_row_values_free(struct hp_row_values *values);

// Return the values of a row in each dump, valid until the next call.  `place` is the
// number of a node; node_count for the sum of all stacks, node_count + 1 for the sum of
// the stacks that filters leave.
const double *hp_row_values_of(struct hp_row_values *values,
                               const struct hp_stack_series *series, size_t place,
                               enum hp_metric metric);

#endif
