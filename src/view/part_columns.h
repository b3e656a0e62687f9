// Columns of a table of functions that tell what the objects of a row are: their sizes in a line, and how
// old half of them is at most so far, of their bytes or their number.
#ifndef HP_VIEW_PART_COLUMNS_H
#define HP_VIEW_PART_COLUMNS_H

#include "view/view.h"

enum {
    HP_PART_FIELDS = 100, // ids of fields from here on are theirs
    HP_PART_TEXT = 256,
};

struct hp_part_columns; // of nodes

// Of each node what ends there, or where rows are sorted by cum what passes there; as far as the
// options ask for it.
struct hp_part_columns *hp_part_columns_new(const struct hp_view *view);
void hp_part_columns_free(struct hp_part_columns *columns); // NULL is fine

void hp_part_columns_set_fields(struct hp_view *view);

// Texts are good until the next call for the same field.
void hp_part_columns_cell(struct hp_part_columns *columns, hp_node_id node, int field,
                          struct hp_content *content);

#endif
