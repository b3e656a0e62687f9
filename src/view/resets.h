// Resets of the profile (prof.reset) between dumps of one process, and their meaning for reports that compare these.
#ifndef HP_VIEW_RESETS_H
#define HP_VIEW_RESETS_H

#include "model/made_counts.h"
#include "view/view.h"

// The reset between the two dumps of a comparison, if they are of one process and one a side.
enum hp_reset hp_reset_of_sides(const struct hp_view *view);

// Leave in each series of the view what comes after the last reset, with two neighbours in the order of
// their counts, and say so in cautions; for a comparison just say so.
void hp_resets_settle(struct hp_view *view);

// Fail if a reset may be between two dumps of the series.
HP_MUST_CHECK int hp_resets_refuse(const struct hp_view *view, struct hp_err *err);

#endif
