// Resets of the profile (prof.reset) between dumps of one process, and their meaning for
// reports that compare such dumps.
#ifndef HP_VIEW_RESETS_H
#define HP_VIEW_RESETS_H

#include "model/made_counts.h"
#include "view/view.h"

// The reset between the two dumps of a comparison.  HP_RESET_NONE if there is none, if a
// side has several dumps, or if the two are of different processes.
enum hp_reset hp_reset_of_sides(const struct hp_view *view);

// For a trend, keep in each series only the dumps after the last reset.  If dumps have no
// times, swap two neighbours that their allocation counts show to be in the wrong order.
// Add a warning for each reset and each swap.  For a comparison of two dumps, only add a
// warning about a reset or about equal samples.
void hp_resets_settle(struct hp_view *view);

// Fail with HP_E_EMPTY if stacks have certainly allocated less in dump `i` of the series
// than in one before, and jemalloc wrote both.  Partials keep no made counts, but what
// stacks have allocated.
HP_MUST_CHECK int hp_resets_refuse_fall(const struct hp_view *view, size_t i,
                                        struct hp_err *err);

// Fail with HP_E_EMPTY if a reset may lie between two dumps of the series.
HP_MUST_CHECK int hp_resets_refuse(const struct hp_view *view, struct hp_err *err);

#endif
