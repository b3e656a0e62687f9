// What each stack held in each dump of a series, kept as its changes: a few bytes for a dump in
// which it holds something else than in the one before.  Rows are sums of stacks, and made one at
// a time: a number for every row and dump would take a gigabyte.
#ifndef HP_VIEW_STACK_SERIES_H
#define HP_VIEW_STACK_SERIES_H

#include "base/memory.h"
#include "view/visible_frames.h"

// {0} after done.
struct hp_stack_series {
    struct hp_arena arena;
    HP_VEC(struct hp_changes) changes; // of stacks, in their order once it is sorted
    uint32_t dumps;
    uint32_t *of_stack; // while it is written: their numbers + 1
};

void hp_stack_series_init(struct hp_stack_series *series, size_t stacks);
void hp_stack_series_done(struct hp_stack_series *series);

// Add what a stack holds in a dump.  Dumps come in order, from 0 on; a stack may come several
// times in one, and holds nothing where it does not come.
void hp_stack_series_add(struct hp_stack_series *series, uint32_t stack, uint32_t dump,
                         hp_fixed value);

// When nothing more comes; there are so many dumps.
void hp_stack_series_sort(struct hp_stack_series *series, uint32_t dumps);

// --- rows -----------------------------------------------------------------------------------

struct hp_row_values;

// Of the nodes of these members, and of series of no more dumps.
struct hp_row_values *hp_row_values_new(const struct hp_members *members, size_t dumps);
void hp_row_values_free(struct hp_row_values *values);

// What a row holds in each dump, until another is asked for.  Its place is the number of its node;
// behind the nodes are the sum of all stacks, and that of those which filters leave anything of.
const double *hp_row_values_of(struct hp_row_values *values,
                               const struct hp_stack_series *series, size_t place,
                               enum hp_metric metric);

#endif
