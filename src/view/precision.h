// What sampling leaves open in the numbers of one report.
#ifndef HP_VIEW_PRECISION_H
#define HP_VIEW_PRECISION_H

#include "model/profile.h"
#include "stats/measure.h"

struct hp_precision {
    double confidence;
    double
        among; // so many choices of dumps there were, of which the fullest was made; or 1
    bool is_known[HP_COLUMNS];   // the profile has errors, and the report is to show them
    uint64_t period[HP_COLUMNS]; // the largest: what is not seen may hold as much
};

// The interval of a value; NAN where nothing is known.
struct hp_interval hp_precision_range(const struct hp_precision *precision,
                                      hp_fixed value, const struct hp_error *error,
                                      enum hp_metric metric);

// Of one that was chosen for its size among so many rows.
struct hp_interval hp_precision_range_of_chosen(const struct hp_precision *precision,
                                                hp_fixed value,
                                                const struct hp_error *error,
                                                enum hp_metric metric, double rows);

// Whether a range of a count allows for objects of the sizes that were sampled, and for no others.
bool hp_precision_is_of_seen(const struct hp_error *error, struct hp_interval range,
                             enum hp_metric metric);

// On how many samples a value stands: equal ones that would leave the same error, and no more than
// there were, as objects that are certain leave none.  NAN where it does not stand on samples, or
// its error, NULL, is not known.
double hp_precision_samples(const struct hp_precision *precision, hp_fixed value,
                            const struct hp_error *error, enum hp_metric metric);

// "few-samples": of the bits of enum hp_row_flag, from 0.
enum {
    HP_ROW_FLAGS = 4,
};

const char *hp_row_flag_text(unsigned bit);

// "unique"
const char *hp_read_text(enum hp_read read);

// Of a value, enum hp_row_flag: the one place where it is judged.
unsigned hp_precision_flags(const struct hp_precision *precision, hp_fixed value,
                            const struct hp_error *error, enum hp_metric metric);

#endif
