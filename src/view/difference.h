// Changes between two sets of inputs (the base and the new side), per node, with a test
// of whether sampling and the variation between processes explain them.
//
// hp_difference_init() sums both sides (diff_sums.h), chooses one test for all rows,
// computes a p-value for each row and adjusts the p-values for the number of rows tested.
// Code without names on some side cannot be matched between the sides: open_code.h finds
// it, and the rows that it may belong to are not tested, or only with an allowance for it
// ("open" below).
#ifndef HP_VIEW_DIFFERENCE_H
#define HP_VIEW_DIFFERENCE_H

#include "stats/measure.h"
#include "view/diff_sums.h"
#include "view/open_code.h"
#include "view/view.h"

// With few degrees of freedom, the interval of a factor between processes reaches from
// nothing to any number.  An end above this many times the larger side, and a change that
// could be found above this many times the base, say only that there are too few
// processes, and are not shown.
enum {
    HP_MOST_TIMES = 10
};

// The test that all rows of a difference are judged by; the manual has a chapter on each.
enum hp_difference_test {
    HP_TEST_NONE,          // sampling errors are not known
    HP_TEST_INDEPENDENT,   // one dump on each side, of two processes
    HP_TEST_PROCESS,       // two dumps of one process
    HP_TEST_PROCESS_ACCUM, // two dumps of one process, with allocations in between
    HP_TEST_FLEETS,        // several dumps on each side
    HP_TEST_ONE,           // one dump against several, assumed to vary like these
    HP_TEST_SAMPLING,      // averages; the variation between processes is not known
};

// Whether p allows for the natural variation between processes.  It always does for two
// dumps of one process.  Where it allows for sampling only, a significant change between
// two processes does not prove that the cause of interest made them differ.
bool hp_difference_allows_for_processes(enum hp_difference_test test);

// Return the word for a significant change: "significant", or "beyond sampling error" if
// the test does not allow for the variation between processes.
const char *hp_difference_mark(enum hp_difference_test test);

// A row of a difference: the change of one node, or of a total.
struct hp_change {
    hp_node_id node;
    // Averages per dump of each side; if the inputs are differences, their decrease and
    // growth.
    hp_fixed before, after;
    bool is_of_difference; // inputs are differences: values before and after are unknown
    bool is_known;         // errors of before and after are known; else there is no p
    struct hp_measure sides[2]; // `before` and `after` with their sampling errors
    // The two quantities that the test compares: the freed and the new part with
    // HP_TEST_PROCESS_ACCUM, else `sides`.
    struct hp_measure tested[2];
    struct hp_ratio ratio;    // comparison of several processes; {0}: none
    struct hp_contrast means; // comparison of the means of replicates; {0}: none
    // Effective samples (equal samples that would have the same error) of `tested`, added
    // up.
    double samples;
    // Probability of this growth or decrease, or more, without a real change; NAN: not
    // tested.
    double growth_p, shrinkage_p;
    double p; // two-sided p-value; NAN: not tested
    double q; // p-value adjusted for the number of rows tested; NAN: not tested
    double least_growth_p; // HP_TEST_PROCESS: two-sided p if nothing was freed in between
    bool is_significant;   // q, or p of a total, is below 1 - confidence
    // Not tested: more of the node may be in code that is not compared, or after a reset
    // of the samples.
    bool is_open;
    // Upper bound, per dump of each side, of the node's value in that code.
    double open[2];
    bool has_own_open;       // some of that code belongs to the program itself
    double plain_p, plain_q; // p and q on condition that no such code belongs to the node
};

// The result of comparing two sides: the change of each row and of the totals, and the
// test.
struct hp_difference {
    enum hp_difference_test test;
    // Whether the allocator's samples were reset between the dumps: memory that seems
    // freed may still be in use.
    bool is_reset;
    size_t inputs[2]; // number of used dumps of each side
    // Number of replicates of each side (model/between.h), whose means are compared; 0:
    // single dumps are compared.
    size_t groups[2];
    // Sorted by node; the report sorts them anew, significant rows first, then by size.
    HP_VEC(struct hp_change) rows;
    size_t tested; // number of rows tested
    bool is_same;  // all rows have the same value before and after
    // Number of processes with dumps on both sides.  The tests treat them like
    // independent ones, so that p is an upper limit.
    size_t shared;
    // Change of the total, by the headers of the dumps where they show it.
    struct hp_change total;
    hp_fixed stacks[2];        // average sum of all stacks per dump of each side
    struct hp_change filtered; // change of the sum of the stacks that filters leave
    struct hp_open_code open;  // owned; only the report sets it, else {0}
};

// The test of a comparison of these sides.
enum hp_difference_test hp_difference_test_of(const struct hp_view *view,
                                              const struct hp_sides *sides);

// Compare the sides, as sums of the estimate of each stack in each input
// (profile->history).  `members` assigns stacks to nodes, which need not be nodes of the
// view; rows are numbered by these nodes, and so are open->of_node and open->open_nodes.
// `open` is borrowed during the call; NULL: all code can be compared.  Free with
// hp_difference_done().
void hp_difference_init(struct hp_difference *difference, const struct hp_view *view,
                        const struct hp_sides *sides, const struct hp_members *members,
                        const struct hp_open_code *open);
void hp_difference_done(struct hp_difference *difference);

// Compare each module of `open` as a whole, with all its functions, between the sides,
// and put the result into `growth` of the module.
void hp_difference_of_modules(struct hp_open_code *open, const struct hp_view *view,
                              const struct hp_sides *sides,
                              const struct hp_members *members);

// hp_change_side() returns the confidence interval of the value before (side 0) or after
// (side 1), hp_change_range() that of the change, which excludes 0 exactly if the p-value
// is less than 1 - confidence.  Both ends are NAN if errors are not known.  An end of the
// change is infinite where too few processes leave it open.
struct hp_interval hp_change_side(const struct hp_change *change, int side,
                                  double confidence);
struct hp_interval hp_change_range(const struct hp_change *change, double confidence);

// Whether a node is on the new side only, or on the base side only, and no code that is
// not compared on the other side could belong to it.
bool hp_change_is_new(const struct hp_change *change);
bool hp_change_is_gone(const struct hp_change *change);

// Return a word for the change: "new", "gone", "same", or by significance "grew",
// "shrank", "unsure" (not significant) or "untested".
const char *hp_change_status(const struct hp_change *change);

#endif
