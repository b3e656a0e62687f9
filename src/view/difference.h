// What changed from some inputs to others, per node, and whether sampling explains it.
#ifndef HP_VIEW_DIFFERENCE_H
#define HP_VIEW_DIFFERENCE_H

#include "stats/measure.h"
#include "view/diff_sums.h"
#include "view/open_code.h"
#include "view/view.h"

// What a change is held against; the manual has a chapter on each.
enum hp_difference_test {
    HP_TEST_NONE,          // nothing is known of the errors
    HP_TEST_INDEPENDENT,   // one dump a side, of two processes
    HP_TEST_PROCESS,       // two dumps of one process
    HP_TEST_PROCESS_ACCUM, // the same, which also tell what was allocated in between
    HP_TEST_FLEETS,        // several dumps on both sides
    HP_TEST_ONE,           // one against several, taken to differ as these do
    HP_TEST_SAMPLING, // of averages, of which nothing tells how processes differ by themselves
};

// Whether p allows for how processes differ by themselves: always in one process; else, where it is of
// sampling alone, two processes that differ are no proof of what made them differ.
bool hp_difference_allows_for_processes(enum hp_difference_test test);

// "significant", or where it does not "beyond sampling error".
const char *hp_difference_mark(enum hp_difference_test test);

struct hp_change {
    hp_node_id node;
    hp_fixed before,
        after;             // of one dump on average; of a difference what shrank and grew
    bool is_of_difference; // what there was and is, is not known
    bool is_known;         // what they can be off by; else there is no p
    struct hp_measure sides[2];  // what before and after are
    struct hp_measure tested[2]; // what the change is from and to
    struct hp_ratio ratio;       // of several processes in all; {0}: there is none
    struct hp_contrast means;    // the same where groups of dumps tell; {0}
    double samples;              // effective ones, in both; what changed stands on them
    double growth_p,
        shrinkage_p; // the probability of this much or more with no real change; or NAN
    double p;        // the two-sided one of both; NAN: not tested
    double q;        // adjusted for how many rows were tested
    double least_growth_p; // HP_TEST_PROCESS: two-sided, if nothing was freed in between
    bool is_significant;   // the change is more than sampling explains
    bool is_open;   // it is not tested, as more of it may be in code that is not compared
    double open[2]; // at most so much, of each side
    bool has_own_open;       // and this is code of the program itself
    double plain_p, plain_q; // p and q if nothing more of it were there
};

struct hp_difference {
    enum hp_difference_test test;
    bool is_reset;    // between the dumps: what fell or is gone may still be held
    size_t inputs[2]; // that were used
    size_t groups[2]; // of them, that tell how they differ; 0: each tells
    HP_VEC(struct hp_change)
    rows;          // by node; of the report what is significant first, then by how much
    size_t tested; // of the rows
    bool is_same;  // no row has changed
    size_t
        shared; // processes on both sides, at two times: p, as of others, is an upper limit
    struct hp_change total;
    struct hp_change filtered; // what filters leave
    struct hp_open_code open;  // of the report; of others it is {0}
};

// From the history of the profile; `members` are of any nodes, which rows are then called by, and so are
// those of `open`.
void hp_difference_init(struct hp_difference *difference, const struct hp_view *view,
                        const struct hp_sides *sides, const struct hp_members *members,
                        const struct hp_open_code *open);
void hp_difference_done(struct hp_difference *difference);

// Compare all code of each module of the list: whatever functions it is in, it is of the module.
void hp_difference_of_modules(struct hp_open_code *open, const struct hp_view *view,
                              const struct hp_sides *sides,
                              const struct hp_members *members);

// The interval of what was before, 0, or after, 1; and of the change, which excludes 0 exactly
// where the p-value is less than 1 - confidence.  NAN where nothing is known.
struct hp_interval hp_change_side(const struct hp_change *change, int side,
                                  double confidence);
struct hp_interval hp_change_range(const struct hp_change *change, double confidence);

// Whether it is on one side alone, and the other has nothing that could be of it.
bool hp_change_is_new(const struct hp_change *change);
bool hp_change_is_gone(const struct hp_change *change);

// "new", "gone", "grew", "shrank", "unsure", "untested" or "same"; of what is neither new nor gone by
// what is significant.
const char *hp_change_status(const struct hp_change *change);

#endif
