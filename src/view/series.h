// The dumps of one series or several, each of one process, in the order in which they were made.
#ifndef HP_VIEW_SERIES_H
#define HP_VIEW_SERIES_H

#include "model/profile.h"

struct hp_series_dump {
    const struct hp_input_record *input;
    size_t number;   // in profile->inputs
    double time;     // seconds since 1970; its place, from 1, if the profile has no times
    uint32_t series; // from 0
    uint32_t process; // HP_NO_PROCESS: nothing tells of which it is
};

// Of the inputs that are used: by process, then by time, then by name, numbers in names by size.  To be freed.
struct hp_series_dump *hp_series_new(const struct hp_profile *profile, size_t *count);

// How many dumps the first of these series has.
size_t hp_series_length(const struct hp_series_dump *dumps, size_t count);

enum {
    HP_SERIES_NAME_SIZE = 32,
};

// "pid 7": of the process of a dump, for people.
void hp_series_name(const struct hp_profile *profile, const struct hp_series_dump *dump,
                    char name[HP_SERIES_NAME_SIZE]);

// Whole nanoseconds; the nearest there are.
int64_t hp_nanoseconds(double seconds);

#endif
