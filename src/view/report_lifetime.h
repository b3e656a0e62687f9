// How much of what a process allocated over a series of its dumps is still live.
#ifndef HP_VIEW_REPORT_LIFETIME_H
#define HP_VIEW_REPORT_LIFETIME_H

#include "stats/lifetime.h"
#include "view/stack_series.h"
#include "view/view.h"

struct hp_lifetime_row {
    size_t place; // its node; or, behind the nodes, the total, what filters leave
    struct hp_survivors survivors;
    double live_errors; // sums over the dumps of what sampling leaves in what is live
    hp_fixed allocated, live; // between the first dump and the last; at the last
    bool is_concluded;        // the rest is known, which is found when it is asked for
    struct hp_interval
        share; // of what was allocated that is live: both ends hold by themselves
    struct hp_turnover turnover;
};

// What a report of lifetimes is in view->extra.
struct hp_lifetimes {
    size_t dumps;
    double seconds; // from the first to the last, or NAN
    HP_VEC(struct hp_lifetime_row) rows;
    struct hp_lifetime_row total, filtered;
    struct hp_stack_series live, made; // by stack: in use; allocated up to each dump
    struct hp_row_values *values;
    double *process_gaps; // bytes that it allocated between one dump and the next
    double *gaps;         // the same of the row at hand
};

// Of view->extra; HP_ROW_TOTAL and HP_ROW_FILTERED are rows, too.
const struct hp_lifetime_row *hp_lifetime_row(const struct hp_view *view, size_t row);

#endif
