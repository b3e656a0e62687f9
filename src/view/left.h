// What filters leave of a profile.
#ifndef HP_VIEW_LEFT_H
#define HP_VIEW_LEFT_H

#include "view/naming.h"

struct hp_left {
    struct hp_values values;
    struct hp_error errors[HP_COLUMNS]; // where the profile has them
};

struct hp_left hp_left_of(const struct hp_naming *naming);

// Whether anything is.
bool hp_left_any(const struct hp_naming *naming);

// Of each stack whether anything of it is left; to be freed.
bool *hp_left_stacks(const struct hp_naming *naming);

#endif
