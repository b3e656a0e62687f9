// A profile as a table of one metric: one row per function, line, file, module or address.
#ifndef HP_VIEW_TABLE_H
#define HP_VIEW_TABLE_H

#include "view/naming.h"

struct hp_row {
    hp_node_id node;
    hp_fixed flat; // of the stacks that end here
    hp_fixed cum;  // of the stacks that pass here; a stack counts once
    struct hp_error flat_error, cum_error; // where the table has them
};

struct hp_table {
    struct hp_naming naming;
    HP_VEC(struct hp_row) rows; // sorted as asked for; ties by name
    hp_fixed total;             // of the profile
    hp_fixed left;              // by filters: the sum of all flat
    bool has_flat_errors, has_cum_errors;
};

enum hp_table_errors {
    HP_TABLE_SORTED_ERRORS, // of flat, or of cum if the table is sorted by it
    HP_TABLE_BOTH_ERRORS,
};

// options->metric, sort, by, all_frames, no_inlines and no_error are looked at.
void hp_table_init(struct hp_table *table, const struct hp_profile *profile,
                   const struct hp_report_options *options, enum hp_table_errors errors);
void hp_table_done(struct hp_table *table);

#endif
