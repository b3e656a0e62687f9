// Memory that sampling missed altogether: stacks without any sampled object.
#ifndef HP_VIEW_UNSEEN_H
#define HP_VIEW_UNSEEN_H

#include "view/view.h"

// Estimates of missed stacks, in bytes.  The values of the stacks that were seen already
// include this memory on average.
struct hp_unseen {
    // False if errors are not known, or if some stack's number of samples is not known.
    bool is_known;
    double estimate; // sum of all missed stacks
    double highest;  // upper bound of that sum, with the confidence of the view
    double stack;    // upper bound of any single missed stack
    // `highest` is above a fifth of the memory that was seen (the sum of the stacks minus
    // `estimate`), and `estimate` is above 0.  The largest rows are then too high, because
    // they are the largest partly by luck.
    bool is_much;
};

// The estimate for a column; hp_unseen_of(): for the column of the view's metric.  It is
// computed once per view.
struct hp_unseen hp_unseen_in(const struct hp_view *view, enum hp_column column);
struct hp_unseen hp_unseen_of(const struct hp_view *view);

// Return is_much as a view of the inputs with one value of the label or property that the
// page divides stacks by would have it; `place` is the number of the value.  Errors of
// these inputs must be known, and `period` is their largest sample period.
bool hp_is_much_unseen(const struct hp_view *view, enum hp_column column, uint32_t place,
                       uint64_t period);

// --- rows that are shown because they are the largest ----------------------------------------

enum {
    HP_MANY_SAMPLES = 3, // samples of a row are counted only up to this number
};

// Whether intervals of rows have to allow for the choice of the largest rows, in tables
// of code.  Depends on the column and not on the metric of the view, so that a number has
// the same interval whatever else is shown.
bool hp_are_chosen(const struct hp_view *view, enum hp_column column);

// Number of rows among which the first ones were chosen, including an estimate of the
// rows without samples.  `samples` is the number of samples of each row, at most
// HP_MANY_SAMPLES.
double hp_chosen_among(const unsigned char *samples, size_t count);

#endif
