// The dumps of one or several series in the order of time.  All dumps of a series are of
// one process.
#ifndef HP_VIEW_SERIES_H
#define HP_VIEW_SERIES_H

#include "model/profile.h"

struct hp_series_dump {
    const struct hp_input_record *input; // borrowed from the profile
    size_t number;                       // number in profile->inputs.records
    // Seconds since 1970; if the profile has no times, the place of the dump in its
    // series, from 1.
    double time;
    uint32_t series;  // number of its series, from 0
    uint32_t process; // HP_NO_PROCESS: not known
};

// Make the series of all used inputs: one array of their dumps, sorted by process, then
// by time, then by name, with numbers in names in numeric order.  The caller frees it.
struct hp_series_dump *hp_series_new(const struct hp_profile *profile, size_t *count);

// Return the length of the first series in `dumps`: how many dumps at its beginning are
// of the same series.  `count`: number of all dumps.
size_t hp_series_length(const struct hp_series_dump *dumps, size_t count);

enum {
    // Size of the buffer for the name of a series, in bytes with the NUL.
    HP_SERIES_NAME_SIZE = 32,
};

// Write the name of the process of a dump, as in "pid 7".
void hp_series_name(const struct hp_profile *profile, const struct hp_series_dump *dump,
                    char name[HP_SERIES_NAME_SIZE]);

// Round seconds to nanoseconds, within the range of int64_t.
int64_t hp_nanoseconds(double seconds);

#endif
