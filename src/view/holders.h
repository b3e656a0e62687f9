// The holders of rows: a process, or all that have one label, among several.
//
// "Holds" is a fact with a sampling error: most of the row is at one holder, and far more of it than that has of all
// other rows.  "Stands out" is a test: a holder has more of the row than the others do, who differ among themselves.
#ifndef HP_VIEW_HOLDERS_H
#define HP_VIEW_HOLDERS_H

#include "view/diff_sums.h"
#include "view/view.h"

enum {
    HP_STAND_OUT = 3, // holders of a row at most
};

// One holder of a row.
struct hp_holding {
    hp_node_id node;
    const char *name;
    double value;      // in the metric of the report
    double share, low; // of the row, and at least
    double of_rest;    // of all other rows
};

struct hp_row_outlier {
    hp_node_id node;
    const char *name;
    double value;  // in the metric of the report
    double others; // on average
    double p;      // times the number of holders
};

struct hp_holders {
    size_t count;                       // of holders
    HP_VEC(struct hp_holding) holdings; // by node, one of each at most
    HP_VEC(struct hp_row_outlier)
    outliers; // those of a row together, the largest rows first
};

struct hp_open_code;

// Look at the new side; there is no base.  Partials that do not tell of each dump have no holders, and rows of modules that
// some dumps have no names of are left out.
void hp_holders_init(struct hp_holders *holders, const struct hp_view *view,
                     const struct hp_sides *sides, const struct hp_members *members,
                     const struct hp_open_code *open);
void hp_holders_done(struct hp_holders *holders);

#endif
