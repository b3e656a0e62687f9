// Sums of the two sides of a difference, per node, from the history of a profile.
//
// All sums are exact but those of squares, which are added in the order of the inputs: the
// same whatever order the stacks are in.
#ifndef HP_VIEW_SIDES_H
#define HP_VIEW_SIDES_H

#include "view/difference.h"
#include "view/members.h"

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

// sums[node], one for the total, and the last for what filters leave.  `lives` tells whether freed and fresh are wanted,
// for which there is one input a side.
struct hp_sums *hp_sides_sum(const struct hp_profile *profile,
                             const struct hp_sides *sides,
                             const struct hp_members *members, enum hp_metric metric,
                             bool lives);

#endif
