#include "view/series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double nanoseconds_per_second = 1e9;

// Order of dumps: by process, then by time, then by name.  dump.9 comes before dump.10:
// name_place keeps this order if names are redacted.
static int by_time(const void *left, const void *right) {
    const struct hp_series_dump *a = left, *b = right;
    if (a->process != b->process) {
        return a->process < b->process ? -1 : 1;
    }
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    if (a->input->name_place != b->input->name_place) {
        return a->input->name_place < b->input->name_place ? -1 : 1;
    }
    int order = strverscmp(a->input->public.name, b->input->public.name);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

// The process of an input, or HP_NO_PROCESS.  Inputs whose process is not known form one
// series, because the user gives them as one.  So do merged inputs, and dumps of a
// program that was started anew before each dump, for which there is a warning.
static uint32_t process_of(const struct hp_profile *profile,
                           const struct hp_input_record *input) {
    const struct hp_processes *processes = &profile->inputs.processes;
    bool is_known = input->process < processes->all.count && !input->keys &&
                    !processes->all.at[input->process].is_unidentified &&
                    (processes->largest > 1 || processes->forks > 0);
    return is_known ? input->process : HP_NO_PROCESS;
}

// Whether input `number` is a dump of a series.  An exit dump is not, if the profile
// skips exit dumps; inputs from partial files may still contain them.
static bool is_point(const struct hp_profile *profile,
                     const struct hp_input_record *input, uint32_t number) {
    const struct hp_processes *processes = &profile->inputs.processes;
    return !hp_profile_skips_exits(profile) || input->process >= processes->all.count ||
           !hp_process_is_exit(&processes->all.at[input->process], number);
}

// Set the numbers of the series.  If there are no times, set `time` of the dumps of each
// series to 1, 2, 3 ...
static void number_series(struct hp_series_dump *dumps, size_t count, bool has_times) {
    for (size_t i = 0; i < count; i++) {
        bool starts = i == 0 || dumps[i].process != dumps[i - 1].process;
        dumps[i].series = i == 0 ? 0 : dumps[i - 1].series + starts;
        if (!has_times) {
            dumps[i].time = starts ? 1 : dumps[i - 1].time + 1;
        }
    }
}

struct hp_series_dump *hp_series_new(const struct hp_profile *profile, size_t *count) {
    struct hp_series_dump *dumps =
        hp_alloc(profile->inputs.records.count * sizeof *dumps);
    *count = 0;
    for (size_t i = 0; i < profile->inputs.records.count; i++) {
        const struct hp_input_record *input = &profile->inputs.records.at[i];
        if (hp_input_is_used(input) && is_point(profile, input, (uint32_t)i)) {
            dumps[(*count)++] = (struct hp_series_dump){
                .input = input,
                .number = i,
                .time = profile->inputs.have_times ? input->identity.time : 0,
                .process = process_of(profile, input),
            };
        }
    }
    qsort(dumps, *count, sizeof *dumps, by_time);
    number_series(dumps, *count, profile->inputs.have_times);
    return dumps;
}

size_t hp_series_length(const struct hp_series_dump *dumps, size_t count) {
    size_t length = 0;
    while (length < count && dumps[length].series == dumps[0].series) {
        length++;
    }
    return length;
}

void hp_series_name(const struct hp_profile *profile, const struct hp_series_dump *dump,
                    char name[HP_SERIES_NAME_SIZE]) {
    const struct hp_process *process =
        dump->process == HP_NO_PROCESS ? NULL
                                       : &profile->inputs.processes.all.at[dump->process];
    if (process && process->pid != 0) {
        snprintf(name, HP_SERIES_NAME_SIZE, "pid %llu", (unsigned long long)process->pid);
    } else if (process) {
        snprintf(name, HP_SERIES_NAME_SIZE, "process %u", (unsigned)dump->series + 1);
    } else {
        snprintf(name, HP_SERIES_NAME_SIZE, "process not known");
    }
}

int64_t hp_nanoseconds(double seconds) {
    double number = round(seconds * nanoseconds_per_second);
    if (number >= 0x1p63) {
        return INT64_MAX;
    }
    return number < -0x1p63 ? INT64_MIN : (int64_t)number;
}
