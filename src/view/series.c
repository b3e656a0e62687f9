#include "view/series.h"

#include <math.h>
#include <string.h>

static const double nanoseconds_per_second = 1e9;

// So that dump.9 is before dump.10.
static int by_time(const void *left, const void *right) {
    const struct hp_series_dump *a = left, *b = right;
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    int order = strverscmp(a->input->public.name, b->input->public.name);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

struct hp_series_dump *hp_series_new(const struct hp_profile *profile, size_t *count) {
    struct hp_series_dump *dumps = hp_alloc(profile->inputs.count * sizeof *dumps);
    *count = 0;
    for (size_t i = 0; i < profile->inputs.count; i++) {
        const struct hp_input_record *input = &profile->inputs.at[i];
        if (hp_input_is_used(input)) {
            dumps[(*count)++] = (struct hp_series_dump){
                .input = input,
                .number = i,
                .time = profile->has_times ? input->time : 0,
            };
        }
    }
    qsort(dumps, *count, sizeof *dumps, by_time);
    for (size_t i = 0; i < *count && !profile->has_times; i++) {
        dumps[i].time = (double)i + 1;
    }
    return dumps;
}

int64_t hp_nanoseconds(double seconds) {
    double number = round(seconds * nanoseconds_per_second);
    if (number >= 0x1p63) {
        return INT64_MAX;
    }
    return number < -0x1p63 ? INT64_MIN : (int64_t)number;
}
