#include "view/path_sums.h"

#include "view/difference.h"

#include <string.h>

void hp_path_sums_init(struct hp_path_sums *sums, const struct hp_paths *paths,
                       bool errors) {
    size_t count = paths->paths.count;
    *sums = (struct hp_path_sums){
        .paths = paths,
        .values = hp_alloc(count * sizeof *sums->values),
        .errors = errors ? hp_alloc(count * HP_COLUMNS * sizeof *sums->errors) : NULL,
    };
}

void hp_path_sums_done(struct hp_path_sums *sums) {
    free(sums->values);
    free(sums->errors);
}

void hp_path_sums_clear(struct hp_path_sums *sums) {
    size_t count = sums->paths->paths.count;
    memset(sums->values, 0, count * sizeof *sums->values);
    if (sums->errors) {
        memset(sums->errors, 0, count * HP_COLUMNS * sizeof *sums->errors);
    }
}

void hp_path_sums_add_all(struct hp_path_sums *sums) {
    const struct hp_profile *profile = sums->paths->naming.profile;
    for (size_t i = 0; i < profile->stacks.count; i++) {
        uint32_t path = sums->paths->path_of[i];
        if (path == HP_NO_PATH) {
            continue;
        }
        hp_values_add(&sums->values[path], &profile->stacks.at[i].values);
        for (enum hp_column k = 0; k < HP_COLUMNS && sums->errors; k++) {
            if (hp_profile_has_errors(profile, k)) {
                hp_error_add(&sums->errors[path * HP_COLUMNS + k],
                             &profile->errors[k].at[i]);
            }
        }
    }
}

void hp_path_sums_add_input(struct hp_path_sums *sums, uint32_t number) {
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    hp_history_open(&reader, &sums->paths->naming.profile->history, number);
    while (hp_history_next(&reader, &seen)) {
        uint32_t path = sums->paths->path_of[seen.stack];
        if (path == HP_NO_PATH) {
            continue;
        }
        hp_values_add(&sums->values[path], &seen.values);
        for (enum hp_column k = 0; k < HP_COLUMNS && sums->errors; k++) {
            hp_error_add(&sums->errors[path * HP_COLUMNS + k], &seen.errors[k]);
        }
    }
    hp_history_done_reading(&reader);
}

void hp_path_sums_average(struct hp_path_sums *sums, size_t inputs) {
    for (size_t i = 0; i < sums->paths->paths.count; i++) {
        for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
            hp_fixed *value = &sums->values[i].of[metric];
            *value = hp_mean_of(*value, inputs);
        }
    }
}
