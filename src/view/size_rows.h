// Rows that are sizes of objects or, with --by=age, ranges of ages (model/ages.h); and
// the sizes of the objects of a stack.
#ifndef HP_VIEW_SIZE_ROWS_H
#define HP_VIEW_SIZE_ROWS_H

#include "view/top.h"

// Add a row for each size or range of ages, with its name as a node.  To be called before
// hp_top_init().  Returns the sizes or numbers of the ranges, `count` of them, in the
// order of the rows; the caller frees the array.
uint64_t *hp_size_rows_new(struct hp_view *view, size_t *count);

// Add up in `top` the values of each row.  `sizes` is the result of hp_size_rows_new().
void hp_size_rows_sum(const uint64_t *sizes, size_t count, struct hp_view *view,
                      struct hp_top *top);

// Return the objects of a stack of the view by size, the size with most bytes first.  The
// array is valid until the next call.
const struct hp_size_part *const *hp_view_stack_sizes(const struct hp_view *view,
                                                      size_t stack, enum hp_column column,
                                                      size_t *count);

// Fail if the view is asked for sizes or ages that it cannot show: HP_E_USAGE if they do
// not fit the other options, HP_E_EMPTY if no input has ages.
HP_MUST_CHECK int hp_size_rows_refuse(const struct hp_view *view, struct hp_err *err);

#endif
