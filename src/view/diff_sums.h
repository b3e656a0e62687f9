// Sums of the two sides of a difference, per node, from the history of a profile.
//
// All sums are exact but those of squares, which are added in the order of the inputs: the
// same whatever order the stacks are in.
#ifndef HP_VIEW_DIFF_SUMS_H
#define HP_VIEW_DIFF_SUMS_H

#include "model/between.h"
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

// An estimate in bytes and its variance.
struct hp_part {
    hp_fixed bytes;
    hp_int128 variance;
};

struct hp_side_sum {
    hp_fixed value;
    struct hp_error error;
    hp_int128 plug_in; // the variance of sampling itself, where error has its bound
    // Of units, each divided by how many dumps it is: sum of squares; and the sum itself, which
    // is `value` but for rounding.
    double squares, summed;
};

// Of one node, or of all.
struct hp_sums {
    struct hp_side_sum sides[2];
    // One process: what was freed in between, at most, and what was allocated and is alive.
    struct hp_part freed, fresh;
};

// The variance between the dumps of a side; 0 if there is one unit.
double hp_variance_between(const struct hp_sides *sides, int side,
                           const struct hp_side_sum *sum);

// sums[node], one for the total, and the last for what filters leave; to be freed.  `lives`
// tells whether freed and fresh are wanted, for which there is one input a side.
struct hp_sums *hp_diff_sums(const struct hp_profile *profile,
                             const struct hp_sides *sides,
                             const struct hp_members *members, enum hp_metric metric,
                             bool lives);

#endif
