// The width of an interval is about in proportion to the root of the period.
#include "view/finer_period.h"

#include <math.h>

struct hp_finer_period hp_finer_period_of(const struct hp_view *view) {
    enum {
        LEAST_LOG = 12, // as in plan
        MOST_LOG = 40,  // no profiler has a larger period
    };

    const struct hp_head *head = &view->head;
    struct hp_amount total = {.sum = head->whole.of[HP_INUSE_SPACE],
                              .error = &head->whole_errors[HP_COLUMN_INUSE],
                              .is_total = true};
    struct hp_finer_period of = {0, 0};
    double bytes = hp_fixed_double(total.sum, HP_INUSE_SPACE);
    if (!head->is_total_uncertain[HP_COLUMN_INUSE] || !(bytes > 0) ||
        head->processes->largest > 1) {
        return of;
    }
    struct hp_interval range = hp_view_range(view, &total, HP_INUSE_SPACE);
    of.share = (range.high - range.low) / 2 / bytes;
    double less = HP_FINER_PERIOD_SHARE / of.share;
    double finer = (double)head->errors[HP_COLUMN_INUSE].period * less * less;
    int log = LEAST_LOG;
    while (log < MOST_LOG && ldexp(1, log + 1) <= finer) {
        log++;
    }
    bool is_needed = of.share > HP_FINER_PERIOD_SHARE && ldexp(1, log) <= finer;
    of.period = is_needed ? (uint64_t)1 << log : 0;
    return of;
}
