// The errors that other sample periods would leave in a profile, and the smallest changes
// that comparisons of such dumps would find.
//
// A dump shows the sizes of the objects, and these decide how much sampling adds to the
// variance of a sum at any period.  Processes also differ by themselves; this part is
// known from three processes or more.
#ifndef HP_VIEW_PLAN_SUMS_H
#define HP_VIEW_PLAN_SUMS_H

#include "stats/power.h"
#include "view/visible_frames.h"

// The expected samples of a sum at one period, and what they leave uncertain.
struct hp_plan_sum {
    double bytes;
    double variance; // upper bound, by which intervals are made
    double noise;    // variance, if all objects of a stack have the size that is known
    double observed; // bytes of the samples
    double samples;  // number of samples
};

// Objects of one size in a stack; of several sizes if they cannot be separated.
struct hp_plan_part {
    uint32_t stack; // number in the profile
    bool is_mixed;  // the objects may be of several sizes
    double bytes, objects;
};

// All objects of a profile, in one column.  {0} is empty.
struct hp_plan_parts {
    HP_VEC(struct hp_plan_part) of; // by number of the stack
};

void hp_plan_parts_init(struct hp_plan_parts *parts, const struct hp_profile *profile,
                        enum hp_column column);
void hp_plan_parts_done(struct hp_plan_parts *parts);

// Return the probability that an object of `size` bytes is sampled, and the bytes that a
// part adds to a sum at a period.
double hp_plan_share(double size, uint64_t period);
void hp_plan_sum_add(struct hp_plan_sum *sum, const struct hp_plan_part *part,
                     uint64_t period);

// Return the sum of all parts, and of those whose stacks a node has.
struct hp_plan_sum hp_plan_sum_of(const struct hp_plan_parts *parts, uint64_t period);
struct hp_plan_sum hp_plan_sum_of_node(const struct hp_plan_parts *parts,
                                       const struct hp_members *members, hp_node_id node,
                                       uint64_t period);

// Return the number of nodes that a diff of two such dumps would test.
size_t hp_plan_tested(const struct hp_plan_parts *parts, const struct hp_members *members,
                      double dumps, uint64_t period);

// Return one dump's part of a sum over `dumps` dumps, with its error.
struct hp_measure hp_plan_measure(const struct hp_plan_sum *sum, double dumps,
                                  uint64_t period);

// Return the variance of all sums by the sizes of the parts at a period, divided by the
// variance that the best probabilities leave with as many samples.
double hp_plan_ratio(const struct hp_plan_parts *parts, uint64_t period);

// How processes differ in one sum: the standard deviation as a share of the mean, without
// the part that sampling adds, and its degrees of freedom.  {0}: nothing is known.
struct hp_plan_spread {
    double share, freedom;
};

struct hp_plan_tests;

// The comparison that a plan is for.
struct hp_plan_comparison {
    size_t processes; // on each side; 1: two dumps of one process
    // Two dumps of one process: the share of its memory that is freed in between, if the
    // dumps show it; 1: all, or not known.
    double freed;
    double level; // p-value of one side
    // For several processes: hp_plan_tests_new(); NULL: made anew.
    struct hp_plan_tests *tests;
};

// The tests of several processes a side, and by how much the variance between processes
// has to be raised because few processes have shown it.
struct hp_plan_tests *hp_plan_tests_new(size_t processes, struct hp_plan_spread spread,
                                        double level);
void hp_plan_tests_free(struct hp_plan_tests *tests);

// Return the smallest change that is found in four of five comparisons, as a share of the
// sum; `dumps` is the number of dumps that `sum` is of.
double hp_plan_change(const struct hp_plan_sum *sum, double dumps, uint64_t period,
                      struct hp_plan_spread spread, struct hp_plan_comparison of);

#endif
