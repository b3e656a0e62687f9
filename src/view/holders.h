// Inputs that have a conspicuous part of a row.  A holder is all inputs with the same
// labels, such as one host, or a single input without labels.
//
// "Holds" describes the inputs, with a sampling error: one holder has most of the row,
// and far more of it than of all other rows.  "Stands out" is a test: a holder has more
// of the row than the others, given how these vary among themselves.
#ifndef HP_VIEW_HOLDERS_H
#define HP_VIEW_HOLDERS_H

#include "view/diff_sums.h"
#include "view/view.h"

enum {
    HP_STAND_OUT = 3, // largest number of outliers of one row
};

// A holder (an input, or all inputs with the same labels) that has most of a row.
struct hp_holding {
    hp_node_id node;
    const char *name;
    double value; // in the metric of the report
    // Its share of the row's effective samples (equal samples that would have the same
    // error), and the lower confidence bound of that share.
    double share, low;
    double of_rest; // its share of all other rows
};

// A holder (an input, or all inputs with the same labels) that stands out among the
// holders of a row.
struct hp_row_outlier {
    hp_node_id node;
    const char *name;
    double value;  // in the metric of the report
    double others; // average value of the other holders
    double p;      // p-value, multiplied by the number of holders compared
};

// The rows that are mostly in one holder (an input, or all inputs with the same labels),
// and the holders that stand out in a row; {0} has no holders.
struct hp_holders {
    size_t count;                       // number of holders
    HP_VEC(struct hp_holding) holdings; // the largest first, at most one for each node
    // Outliers of one row are adjacent; the largest rows are first.
    HP_VEC(struct hp_row_outlier) outliers;
};

struct hp_open_code;

// Find the holders that hold a row or stand out in one.  The inputs are those of the new
// side of `sides`, which has no base; `members` assigns stacks to rows.  The result is
// {0} if a partial does not record each dump, or if sampling errors are not known.  Rows
// of the modules in `open` are excluded, as some dumps have no names for them.  Names of
// holders are borrowed from the profile.  Free with hp_holders_done().
void hp_holders_init(struct hp_holders *holders, const struct hp_view *view,
                     const struct hp_sides *sides, const struct hp_members *members,
                     const struct hp_open_code *open);
void hp_holders_done(struct hp_holders *holders);

#endif
