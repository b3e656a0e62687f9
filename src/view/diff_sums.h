// Sums of the two sides of a difference, per node, from the history of a profile.
//
// All sums are exact but those of values of single dumps, which are added in the order of the
// inputs: the same whatever order the stacks are in.
#ifndef HP_VIEW_DIFF_SUMS_H
#define HP_VIEW_DIFF_SUMS_H

#include "model/between.h"
#include "stats/two_samples.h"
#include "view/visible_frames.h"

// Numbers of inputs in their profile's list: those that are used; and how many dumps they are.
struct hp_sides {
    HP_VEC(size_t) base, new;
    size_t dumps[2];
    // What tells how the dumps of a side differ: these themselves, or where not all are told of,
    // groups of them.
    bool has_groups[2];
    bool has_merged
        [2];         // a merged profile of several processes, which tells nothing of that
    size_t units[2]; // so many
    struct hp_between between[2];
};

// By hp_input_record.is_base.
void hp_sides_init(struct hp_sides *sides, const struct hp_profile *profile);
void hp_sides_done(struct hp_sides *sides);

// One of those of a side, by its number among them.
const struct hp_input_record *hp_sides_input(const struct hp_sides *sides,
                                             const struct hp_profile *profile, int side,
                                             size_t number);

// Whether it is known what each unit has: groups of dumps tell bytes alone.
bool hp_sides_tell_units(const struct hp_sides *sides, int side, enum hp_metric metric);

// An estimate in bytes and its variance.
struct hp_part {
    hp_fixed bytes;
    hp_int128 variance;
};

struct hp_side_sum {
    hp_fixed value;
    struct hp_error error;
    hp_int128 plug_in; // the variance of sampling itself, where error has its bound
    // The values of units, each the mean of its dumps, and ln(1 + value / half_sample): {0} if
    // they do not tell it.
    struct hp_scatter values, logs;
};

// Of one node, or of all.
struct hp_sums {
    struct hp_side_sum sides[2];
    double half_sample; // half of what one sample stands for, or 1
    // One process: what was freed in between, at most, and what was allocated and is alive.
    struct hp_part freed, fresh;
};

// sums[node], one for the total, and the last for what filters leave; to be freed.  `lives`
// tells whether freed and fresh are wanted, for which there is one input a side.
struct hp_sums *hp_diff_sums(const struct hp_profile *profile,
                             const struct hp_sides *sides,
                             const struct hp_members *members, enum hp_metric metric,
                             bool lives);

// The same of other stacks, whose logarithms are to the half samples of these rows, so that a side of the
// one can be compared with the other side of the other.
struct hp_sums *hp_diff_sums_beside(const struct hp_profile *profile,
                                    const struct hp_sides *sides,
                                    const struct hp_members *members,
                                    enum hp_metric metric, const struct hp_sums *rows);

#endif
