#include "view/shares.h"

#include "view/apportion.h"

static void add(const struct hp_share_groups *groups, hp_fixed *sums, size_t stack,
                hp_fixed value) {
    if (groups->of_stack[stack] < groups->count) {
        sums[groups->of_stack[stack]] += value;
    }
}

static hp_int128 *apportion(const struct hp_share_groups *groups, hp_fixed *sums,
                            enum hp_metric metric) {
    hp_int128 *shares = hp_alloc(groups->count * sizeof *shares);
    hp_apportion(sums, groups->count, metric, shares);
    free(sums);
    return shares;
}

hp_int128 *hp_shares(const struct hp_share_groups *groups, enum hp_metric metric) {
    hp_fixed *sums = hp_alloc(groups->count * sizeof *sums);
    for (size_t i = 0; i < groups->profile->stacks.count; i++) {
        add(groups, sums, i, groups->profile->stacks.at[i].values.of[metric]);
    }
    return apportion(groups, sums, metric);
}

hp_int128 *hp_shares_of_side(const struct hp_share_groups *groups,
                             const struct hp_sides *sides, enum hp_side side,
                             enum hp_metric metric) {
    const size_t *inputs = side == HP_SIDE_BASE ? sides->base.at : sides->new.at;
    size_t count = side == HP_SIDE_BASE ? sides->base.count : sides->new.count;
    hp_fixed *sums = hp_alloc(groups->count * sizeof *sums);
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    for (size_t i = 0; i < count; i++) {
        hp_history_open(&reader, &groups->profile->history,
                        groups->profile->inputs.at[inputs[i]].number);
        while (hp_history_next(&reader, &seen)) {
            add(groups, sums, seen.stack, seen.values.of[metric]);
        }
    }
    hp_history_done_reading(&reader);
    for (size_t i = 0; i < groups->count; i++) {
        sums[i] = hp_mean_of(sums[i], count);
    }
    return apportion(groups, sums, metric);
}
