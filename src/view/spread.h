// How inputs differ from one another, beyond sampling error.
#ifndef HP_VIEW_SPREAD_H
#define HP_VIEW_SPREAD_H

#include "view/holders.h"
#include "view/open_code.h"

// How much the inputs differ in one row.  NAN: not known, as with a single input.
struct hp_spread_row {
    double mean; // mean of the values of all inputs
    double sd;   // standard deviation between inputs, without the part that sampling adds
    double p;    // probability that sampling alone makes inputs differ this much
};

// An input whose sum stands out: neither sampling nor the spread of the others explains
// it.
struct hp_outlier {
    // Number in profile->inputs.records; HP_INPUT_NOT_LISTED: only a partial file names
    // it.
    size_t input;
    const char *name; // borrowed from the profile or from struct hp_spread
    hp_fixed value;   // its sum of the stacks that filters leave
    double others;    // mean sum of the other inputs, in bytes or objects
    double p, q;      // p-value, and p-value adjusted for the number of inputs
};

// The `input` of an outlier that is in no list of inputs.
#define HP_INPUT_NOT_LISTED SIZE_MAX

// A quantile of the bytes of dumps: the given share of dumps has less than a value
// between `low` and `high`, in bytes.
struct hp_quantile {
    double share, low, high;
};

enum {
    HP_QUANTILES = 5,
};

// The spread of all rows, and the inputs that stand out.
struct hp_spread {
    size_t inputs; // number of dumps
    // Number of replicates (64 classes of dumps, model/between.h), if only their sums are
    // known; 0: each dump is known.
    size_t groups;
    // Filters are set.  With replicates they are not applied to single dumps, so that
    // neither outliers nor quantiles are known.
    bool has_filters;
    // Known if `groups` is not 0 and there are no filters.
    struct hp_quantile quantiles[HP_QUANTILES];
    size_t quantile_count; // number of elements of `quantiles`; 0: not known
    char hexadecimal[2 * HP_EXTREMES][24]; // names of outliers without any other name
    struct hp_spread_row *rows;            // one for each node of the naming
    struct hp_spread_row total;            // spread of the sum of all stacks
    HP_VEC(struct hp_outlier) outliers;    // the smallest p first
    struct hp_holders holders;             // processes or labels that hold most of a row
    struct hp_open_code open;              // modules for which some dumps lack names
};

// Find the outliers among the largest and the smallest dumps, and the quantiles; called
// if only sums over replicates are known.  `sum` is the sum of all stacks.
void hp_spread_judge_extremes(struct hp_spread *spread, const struct hp_profile *profile,
                              const struct hp_sides *sides, const struct hp_side_sum *sum,
                              const struct hp_report_options *options);

// Compute the spread of all rows.  The profile must have a history (the estimates of each
// input).  Uses the metric, the sort order (flat or cum) and the confidence of the view's
// options.
void hp_spread_init(struct hp_spread *spread, const struct hp_view *view);
void hp_spread_done(struct hp_spread *spread);

#endif
