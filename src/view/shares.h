// Whole numbers of groups of stacks, such as traces or paths: those of all groups add up to the
// rounded total.
#ifndef HP_VIEW_SHARES_H
#define HP_VIEW_SHARES_H

#include "view/difference.h"

struct hp_share_groups {
    const struct hp_profile *profile;
    const uint32_t
        *of_stack; // the group of each stack of the profile; if less than count
    size_t count;
};

// Of each group; to be freed.
hp_int128 *hp_shares(const struct hp_share_groups *groups, enum hp_metric metric);

enum hp_side {
    HP_SIDE_BASE,
    HP_SIDE_NEW,
};

// Of each group in one input of a side on average; to be freed.  The profile has a history.
hp_int128 *hp_shares_of_side(const struct hp_share_groups *groups,
                             const struct hp_sides *sides, enum hp_side side,
                             enum hp_metric metric);

#endif
