// Every distinct stack of names, the largest first.
#ifndef HP_VIEW_REPORT_STACKS_H
#define HP_VIEW_REPORT_STACKS_H

#include "view/view.h"

// What a view of this kind has beside its stacks.
struct hp_stack_list {
    uint32_t *order; // numbers of stacks
};

// What stack i in that order holds; and what is known of it, as enum hp_row_flag.
struct hp_amount hp_stack_list_amount(const struct hp_view *view, size_t i,
                                      enum hp_metric metric);
unsigned hp_stack_list_flags(const struct hp_view *view, size_t i);

#endif
