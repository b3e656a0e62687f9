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

#endif
