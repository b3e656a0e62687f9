// A profile as a table of one metric: one row per function, line, file, module or address.
#ifndef HP_VIEW_TABLE_H
#define HP_VIEW_TABLE_H

#include "view/naming.h"

struct hp_row {
    hp_node_id node;
    hp_fixed flat; // of the stacks that end here
    hp_fixed cum;  // of the stacks that pass here; a stack counts once
};

struct hp_table {
    struct hp_naming naming;
    HP_VEC(struct hp_row) rows; // sorted as asked for; ties by name
    hp_fixed total;             // the sum of all flat
};

// options->metric, sort, by, all_frames and no_inlines are looked at.
void hp_table_init(struct hp_table *table, const struct hp_profile *profile,
                   const struct hp_report_options *options);
void hp_table_done(struct hp_table *table);

#endif
