// What changed from some inputs to others, per node, and whether sampling explains it.
#ifndef HP_VIEW_REPORT_DIFF_H
#define HP_VIEW_REPORT_DIFF_H

#include "view/diff_sums.h"
#include "view/view.h"

// What a change is held against; the manual has a chapter on each.
enum hp_difference_test {
    HP_TEST_NONE,          // nothing is known of the errors
    HP_TEST_INDEPENDENT,   // one dump a side, of two processes
    HP_TEST_PROCESS,       // two dumps of one process
    HP_TEST_PROCESS_ACCUM, // the same, which also tell what was allocated in between
    HP_TEST_FLEETS,        // several dumps on both sides
    HP_TEST_SAMPLING, // several on one: how processes differ by themselves is not known
};

struct hp_change {
    hp_node_id node;
    hp_fixed before, after; // of one dump on average
    struct hp_interval before_range, after_range,
        range;      // the last: of the change; or NAN
    double samples; // effective ones, in both; what changed stands on them
    double growth_p,
        shrinkage_p; // the probability that sampling alone makes this much or more; or NAN
    double growth_q,
        shrinkage_q;       // adjusted for how many rows were tested; NAN: not tested
    double least_growth_p; // HP_TEST_PROCESS: growth_p if nothing was freed in between
};

struct hp_difference {
    enum hp_difference_test test;
    size_t inputs[2];              // that were used
    HP_VEC(struct hp_change) rows; // the surest growth first
    struct hp_change total;
    struct hp_change filtered; // what filters leave
};

// From the history of the profile; `members` are those of the view's naming.
void hp_difference_init(struct hp_difference *difference, struct hp_view *view,
                        const struct hp_sides *sides, const struct hp_members *members);
void hp_difference_done(struct hp_difference *difference);

// In the direction of the change; NAN: not tested.
double hp_change_p(const struct hp_change *change);
double hp_change_q(const struct hp_change *change);

// Whether the change is more than sampling explains: of all rows that are called so, one in
// 1 / (1 - confidence) is wrong at most.
bool hp_change_is_significant(const struct hp_change *change, double confidence);

// "new", "gone", "grew", "shrank", "same" or "untested"; of what is neither new nor gone by
// what is significant.
const char *hp_change_status(const struct hp_change *change, bool is_significant);

#endif
