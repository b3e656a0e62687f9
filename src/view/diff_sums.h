// Sums of the two sides of a difference, per node, from the history of a profile.
//
// All sums are exact but those of squares, which are added in the order of the inputs: the
// same whatever order the stacks are in.
#ifndef HP_VIEW_DIFF_SUMS_H
#define HP_VIEW_DIFF_SUMS_H

#include "view/visible_frames.h"

// Numbers of inputs in their profile's list: those that are used.
struct hp_sides {
    HP_VEC(size_t) base, new;
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
    double squares;    // of the sums of single inputs
};

// Of one node, or of all.
struct hp_sums {
    struct hp_side_sum sides[2];
    // One process: what was freed in between, at most, and what was allocated and is alive.
    struct hp_part freed, fresh;
};

// sums[node], one for the total, and the last for what filters leave; to be freed.  `lives`
// tells whether freed and fresh are wanted, for which there is one input a side.
struct hp_sums *hp_diff_sums(const struct hp_profile *profile,
                             const struct hp_sides *sides,
                             const struct hp_members *members, enum hp_metric metric,
                             bool lives);

#endif
