// What changed from some inputs to others, per node, and whether sampling explains it.
#ifndef HP_VIEW_DIFFERENCE_H
#define HP_VIEW_DIFFERENCE_H

#include "stats/interval.h"
#include "view/naming.h"

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

// Numbers of inputs in their profile's list.
struct hp_sides {
    HP_VEC(size_t) base, new;
};

struct hp_difference {
    struct hp_naming naming;
    enum hp_difference_test test;
    size_t inputs[2];              // that were used
    HP_VEC(struct hp_change) rows; // the surest growth first
    struct hp_change total;
    struct hp_change left; // by filters
};

// The inputs that were used, by hp_input_record.is_base.
void hp_sides_init(struct hp_sides *sides, const struct hp_profile *profile);
void hp_sides_done(struct hp_sides *sides);

// The sum of so many inputs for one of them.
hp_fixed hp_mean_of(hp_fixed sum, size_t inputs);

// The profile has a history.  options->metric, sort (for flat or cum), by, confidence,
// all_frames, no_inlines and no_error are looked at.
void hp_difference_init(struct hp_difference *difference,
                        const struct hp_profile *profile, const struct hp_sides *sides,
                        const struct hp_report_options *options);
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
