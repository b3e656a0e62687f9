// What sampling missed altogether: stacks of which no object was sampled.
#ifndef HP_VIEW_UNSEEN_H
#define HP_VIEW_UNSEEN_H

#include "view/view.h"

// In bytes.  The estimates of the stacks that were seen already stand for these.
struct hp_unseen {
    bool
        is_known; // not if nothing is of errors, or some stack may have one sample or many
    double estimate; // of all such stacks together
    double highest;  // what they hold at most, with the confidence asked for
    double stack;    // what any one of them holds at most
    // `highest` is more than a fifth of what the stacks hold that were seen, and some were seen
    // but once: the largest rows are too high, as they were chosen for having been seen.
    bool is_much;
};

// With the confidence of the view, which keeps it: in a column, and in that of its metric.
struct hp_unseen hp_unseen_in(const struct hp_view *view, enum hp_column column);
struct hp_unseen hp_unseen_of(const struct hp_view *view);

// What is_much is of the inputs at a place of the view's facet alone, whose errors are known and of this period.
bool hp_is_much_unseen(const struct hp_view *view, enum hp_column column, uint32_t place,
                       uint64_t period);

// --- rows that are shown because they are the largest ----------------------------------------

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
