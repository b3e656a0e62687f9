// What the paths of a profile hold: in all, in some of the inputs, or in one.
//
//     struct hp_path_sums sums;
//     hp_path_sums_init(&sums, &paths, false);
//     hp_path_sums_add_all(&sums);
#ifndef HP_VIEW_PATH_SUMS_H
#define HP_VIEW_PATH_SUMS_H

#include "view/paths.h"

struct hp_path_sums {
    const struct hp_paths *paths;
    struct hp_values *values; // of each path
    struct hp_error *errors;  // HP_COLUMNS of each path; NULL if not asked for
};

void hp_path_sums_init(struct hp_path_sums *sums, const struct hp_paths *paths,
                       bool errors);
void hp_path_sums_done(struct hp_path_sums *sums);

void hp_path_sums_clear(struct hp_path_sums *sums);
void hp_path_sums_add_all(struct hp_path_sums *sums);

// `number` is the input's in the history, which is kept.
void hp_path_sums_add_input(struct hp_path_sums *sums, uint32_t number);

// Make the values the mean of so many inputs.  Errors stay as they are.
void hp_path_sums_average(struct hp_path_sums *sums, size_t inputs);

#endif
