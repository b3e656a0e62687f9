// How inputs differ from one another, beyond what sampling makes of it.
#ifndef HP_VIEW_SPREAD_H
#define HP_VIEW_SPREAD_H

#include "view/holders.h"
#include "view/open_code.h"

// NAN: not known, as of a single input.
struct hp_spread_row {
    double mean; // of an input
    double sd;   // between inputs, without what sampling adds
    double p;    // the probability that sampling alone makes them differ as much
};

// An input of which what filters leave neither sampling nor how the others differ explains.
struct hp_outlier {
    size_t input; // in the profile's list; HP_NOT_TOLD: it is none of these
    const char *name;
    hp_fixed value;
    double others; // on average
    double p, q;   // plain, and adjusted for the number of inputs
};

#define HP_NOT_TOLD SIZE_MAX

// So many dumps have less than what is between these; bytes.
struct hp_quantile {
    double share, low, high;
};

enum {
    HP_QUANTILES = 5,
};

struct hp_spread {
    size_t inputs;
    size_t groups; // of dumps, that tell how they differ; 0: each dump tells
    // Of groups: only what filters leave of them is known, not of a dump.
    bool has_filters;
    struct hp_quantile quantiles[HP_QUANTILES]; // of groups and no filters
    size_t quantile_count;
    char hexadecimal[2 * HP_EXTREMES][24]; // names of outliers that have no other
    struct hp_spread_row *rows;            // of each node of the naming
    struct hp_spread_row total;
    HP_VEC(struct hp_outlier) outliers; // the least likely first
    struct hp_holders holders;          // of rows
    struct hp_open_code open;           // modules of which some dumps have no names
};

// Of the dumps at the ends of a distribution those that stand out; `sum` is of all stacks.
void hp_spread_judge_extremes(struct hp_spread *spread, const struct hp_profile *profile,
                              const struct hp_sides *sides, const struct hp_side_sum *sum,
                              const struct hp_report_options *options);

// The profile has a history.  The metric, the order (for flat or cum) and the confidence of the options are
// looked at.
void hp_spread_init(struct hp_spread *spread, const struct hp_view *view);
void hp_spread_done(struct hp_spread *spread);

#endif
