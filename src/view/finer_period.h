// A finer sample period, for dumps whose total is uncertain.
#ifndef HP_VIEW_FINER_PERIOD_H
#define HP_VIEW_FINER_PERIOD_H

#include "view/view.h"

// Largest share of the total in use by which it may be uncertain.
#define HP_FINER_PERIOD_SHARE 0.2

struct hp_finer_period {
    double share;    // half of the width of the total's confidence interval
    uint64_t period; // about HP_FINER_PERIOD_SHARE is left; 0: no finer one is needed
};

struct hp_finer_period hp_finer_period_of(const struct hp_view *view);

#endif
