// Rows of a table that stand for inputs, threads, or all that has one label.
//
// A label of a sample counts before one of its input.
#ifndef HP_VIEW_GROUPS_H
#define HP_VIEW_GROUPS_H

#include "view/table.h"

// Whether anything has a thread, or the label that is asked for.
bool hp_groups_exist(const struct hp_profile *profile,
                     const struct hp_report_options *options);

struct hp_group_member {
    struct hp_span name; // of the group
    uint32_t number;     // of the input, in the history
};

// The inputs that are used, by the name of their group; to be freed.
struct hp_group_member *hp_group_members(const struct hp_profile *profile,
                                         const struct hp_report_options *options,
                                         size_t *count);

// What an input added, from the profile's history.
struct hp_group_sum {
    hp_fixed all;
    hp_fixed left;         // by filters
    struct hp_error error; // of that
};

// `is_left` tells which stacks are.
struct hp_group_sum hp_group_sum(const struct hp_profile *profile,
                                 const struct hp_input_record *input,
                                 enum hp_metric metric, const bool *is_left);

// Fill table->rows and total; names are those of table->naming.
void hp_groups_make_rows(struct hp_table *table, const struct hp_profile *profile,
                         const struct hp_report_options *options);

#endif
