// Columns of a table of functions that describe the objects of a row: a histogram of
// their sizes in one line of text, and their median age so far, weighted by bytes or by
// number as the metric is.
//
// hp_part_columns_new() adds up sizes and ages per node, hp_part_columns_set_fields()
// adds the columns to the view.
#ifndef HP_VIEW_PART_COLUMNS_H
#define HP_VIEW_PART_COLUMNS_H

#include "view/view.h"

enum {
    HP_PART_TEXT = 256, // room for a text, in bytes
};

struct hp_part_columns; // sums of sizes and of ages, by node

// Add up for each node the sizes and ages, whichever the options ask for, of the objects
// of the stacks that end at it, or of the stacks that pass it if rows are sorted by cum.
// The caller frees the result with hp_part_columns_free().
struct hp_part_columns *hp_part_columns_new(const struct hp_view *view);
void hp_part_columns_free(struct hp_part_columns *columns); // NULL is fine

// Append the columns that the options ask for to the fields of a view of struct hp_top.
// The text of a cell is valid until the same column of another row is read.
void hp_part_columns_set_fields(struct hp_view *view);

#endif
