// Rows that stand for sizes of objects or, by age, for ranges of model/ages.h; and the sizes of stacks.
#ifndef HP_VIEW_SIZE_ROWS_H
#define HP_VIEW_SIZE_ROWS_H

#include "view/top.h"

// Name the sizes: they become nodes of the view's naming, before hp_top_init(); to be freed.
uint64_t *hp_size_rows_new(struct hp_view *view, size_t *count);

// Add up size by size, and make a row of each of those.
void hp_size_rows_sum(const uint64_t *sizes, size_t count, struct hp_view *view,
                      struct hp_top *top);

// What a stack of the view holds in a column, the largest part first; until the next call.
const struct hp_size_part *const *hp_view_stack_sizes(const struct hp_view *view,
                                                      size_t stack, enum hp_column column,
                                                      size_t *count);

// Where rows of ages cannot be, or no input tells any: HP_E_USAGE, HP_E_EMPTY.
HP_MUST_CHECK int hp_size_rows_refuse(const struct hp_view *view, struct hp_err *err);

#endif
