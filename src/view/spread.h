// How inputs differ from one another, beyond what sampling makes of it.
#ifndef HP_VIEW_SPREAD_H
#define HP_VIEW_SPREAD_H

#include "view/naming.h"

// NAN: not known, as of a single input.
struct hp_spread_row {
    double mean; // of an input
    double sd;   // between inputs, without what sampling adds
    double p;    // the probability that sampling alone makes them differ as much
};

// An input of which what filters leave neither sampling nor how the others differ explains.
struct hp_outlier {
    size_t input; // in the profile's list
    hp_fixed value;
    double others; // on average
    double p, q;   // plain, and adjusted for the number of inputs
};

struct hp_spread {
    size_t inputs;
    struct hp_spread_row *rows; // of each node of the naming
    struct hp_spread_row total;
    HP_VEC(struct hp_outlier) outliers; // the least likely first
};

// The profile has a history.  options->metric, sort (for flat or cum) and confidence are looked
// at.
void hp_spread_init(struct hp_spread *spread, const struct hp_naming *naming,
                    const struct hp_report_options *options);
void hp_spread_done(struct hp_spread *spread);

#endif
