// Rows that are shown because they are the largest.
#ifndef HP_VIEW_CHOSEN_H
#define HP_VIEW_CHOSEN_H

#include "view/view.h"

// Among how many rows, those without samples included, the first ones of a table of functions
// and the like were chosen; 1 where that is no matter.  By the column, and not by that of which
// the metric was asked for, so that a number has one interval whatever else is shown.
double hp_chosen_among(const struct hp_view *view, enum hp_column column);

#endif
