// Uncertainty that sampling leaves in the numbers of one report: confidence intervals,
// effective samples and flags.
#ifndef HP_VIEW_PRECISION_H
#define HP_VIEW_PRECISION_H

#include "model/profile.h"
#include "stats/measure.h"

// Settings by which the confidence intervals of a report are computed.
struct hp_precision {
    double confidence; // confidence of intervals, 0 to 1
    // Number of combinations of dumps among which the fullest of each process were
    // chosen; 1: no such choice.
    double among;
    bool is_known[HP_COLUMNS];   // the profile has errors, and the report shows them
    uint64_t period[HP_COLUMNS]; // largest sample period, for values without samples
};

// Return the confidence interval of a value; an end is NAN where it is not known.
struct hp_interval hp_precision_range(const struct hp_precision *precision,
                                      hp_fixed value, const struct hp_error *error,
                                      enum hp_metric metric);

// Return the interval of a value that was chosen among `rows` rows for being the largest.
// It is wider, as such a choice favours overestimates.
struct hp_interval hp_precision_range_of_chosen(const struct hp_precision *precision,
                                                hp_fixed value,
                                                const struct hp_error *error,
                                                enum hp_metric metric, double rows);

// Return the range that the estimate of a value would be in, whatever sizes its objects
// have: the numbers of a dump are rounded, and do not show all sizes.  The rest of the
// value's interval is due to sampling.
struct hp_interval hp_precision_rounding(hp_fixed value, const struct hp_error *error,
                                         enum hp_metric metric);

// Whether the interval of a count of objects only allows for objects of the sizes that
// were sampled.
bool hp_precision_is_of_seen_sizes(const struct hp_error *error, struct hp_interval range,
                                   enum hp_metric metric);

// Return the effective number of samples of a value: equal samples that would leave the
// same error, but no more than were taken, as objects that are always sampled add no
// error.  NAN: the value is not sampled, or its error is not known (`error` NULL).
double hp_precision_samples(const struct hp_precision *precision, hp_fixed value,
                            const struct hp_error *error, enum hp_metric metric);

// Number of flags in enum hp_row_flag.  hp_row_flag_text() returns the name of the flag
// at a bit, counted from 0: "few-samples".
enum {
    HP_ROW_FLAGS = 4,
};

const char *hp_row_flag_text(unsigned bit);

// Return the text that says how object sizes were recovered from a dump: "unique".
const char *hp_read_text(enum hp_read read);

// Return the flags of a value that follow from its error, a set of enum hp_row_flag.  All
// reports judge values here.
unsigned hp_precision_flags(const struct hp_precision *precision, hp_fixed value,
                            const struct hp_error *error, enum hp_metric metric);

#endif
