// What a comparison that found nothing could have found.
#ifndef HP_VIEW_DETECTABLE_H
#define HP_VIEW_DETECTABLE_H

#include "view/view.h"

// The smallest change of the total that is found in four of five comparisons like the one
// of a diff or a trend, by the standard error that its test used.
struct hp_detectable {
    // False: the report found something, or could not test; the other members are unset.
    bool is_known;
    // A diff has too few processes to find a change below HP_MOST_TIMES times the base;
    // `change` and `share` are NAN.
    bool is_too_few;
    double change;       // in bytes or objects; of a trend the growth over the series
    double share;        // of the base, or of the mean of the series; NAN: that is 0
    bool is_of_sampling; // differences between processes are not included
    // The test assumes that all memory was replaced: smaller changes may be found.
    bool is_at_most;
    bool is_of_gate; // by the condition of --fail-if
};

struct hp_detectable hp_detectable_change(const struct hp_view *view);
struct hp_detectable hp_detectable_growth_of_trend(const struct hp_view *view);

#endif
