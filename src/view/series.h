// The dumps of a series, in the order in which they were made.
#ifndef HP_VIEW_SERIES_H
#define HP_VIEW_SERIES_H

#include "model/profile.h"

struct hp_series_dump {
    const struct hp_input_record *input;
    size_t number; // in profile->inputs
    double time;   // seconds since 1970; its place, from 1, if the profile has no times
};

// Of the inputs that are used: by time, then by name, numbers in names by size.  To be freed.
struct hp_series_dump *hp_series_new(const struct hp_profile *profile, size_t *count);

// Whole nanoseconds; the nearest there are.
int64_t hp_nanoseconds(double seconds);

#endif
