// Rows that are shown because they are the largest.
#ifndef HP_VIEW_CHOSEN_H
#define HP_VIEW_CHOSEN_H

#include "view/view.h"

enum {
    HP_MANY_SAMPLES = 3, // it does not matter how many more
};

// Whether that is a matter of a table of functions and the like.  By the column, and not by that
// of which the metric was asked for, so that a number has one interval whatever else is shown.
bool hp_are_chosen(const struct hp_view *view, enum hp_column column);

// Among how many rows, those without samples included, the first ones were chosen, by how many
// samples each has: HP_MANY_SAMPLES at most.
double hp_chosen_among(const unsigned char *samples, size_t count);

#endif
