#include "view/left.h"

#include "view/walk.h"

bool hp_left_any(const struct hp_naming *naming) {
    const struct hp_profile *profile = naming->profile;
    struct hp_walk walk = {0};
    bool found = false;
    for (size_t i = 0; !found && i < profile->stacks.count; i++) {
        found = hp_walk_nodes(naming, &profile->stacks.at[i], &walk);
    }
    hp_walk_done(&walk);
    return found;
}

bool *hp_left_stacks(const struct hp_naming *naming) {
    const struct hp_profile *profile = naming->profile;
    bool *is_left = hp_alloc(profile->stacks.count);
    struct hp_walk walk = {0};
    for (size_t i = 0; i < profile->stacks.count; i++) {
        is_left[i] = hp_walk_nodes(naming, &profile->stacks.at[i], &walk);
    }
    hp_walk_done(&walk);
    return is_left;
}

struct hp_left hp_left_of(const struct hp_naming *naming) {
    const struct hp_profile *profile = naming->profile;
    struct hp_left left = {0};
    bool *is_left = hp_left_stacks(naming);
    for (size_t i = 0; i < profile->stacks.count; i++) {
        if (!is_left[i]) {
            continue;
        }
        hp_values_add(&left.values, &profile->stacks.at[i].values);
        for (enum hp_column column = 0; column < HP_COLUMNS; column++) {
            if (hp_profile_has_errors(profile, column)) {
                hp_error_add(&left.errors[column], &profile->errors[column].at[i]);
            }
        }
    }
    free(is_left);
    return left;
}
