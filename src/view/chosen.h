// What options of a report come to, also where they are left at zero.
#ifndef HP_VIEW_CHOSEN_H
#define HP_VIEW_CHOSEN_H

#include "model/profile.h"

static inline double hp_chosen_confidence(const struct hp_report_options *options) {
    return options->confidence > 0 ? options->confidence : 0.95;
}

// How many of `count` rows are shown.
static inline size_t hp_chosen_rows(const struct hp_report_options *options,
                                    size_t count) {
    return options->limit > 0 && options->limit < count ? options->limit : count;
}

#endif
