// Which nodes the patterns of HP_PICK pick: those whose names they match, or the whole names,
// modules and offsets that these stand for.
#ifndef HP_VIEW_PICKS_H
#define HP_VIEW_PICKS_H

#include "view/naming.h"

// Of each node; to be freed.
bool *hp_picks_new(const struct hp_naming *naming);

// Whether stacks come by any that is picked or, if `are_functions`, by functions with names.
// HP_E_LIMIT if a pattern is too hard to match.
int hp_picks_find(const struct hp_naming *naming, bool are_functions, bool *found,
                  struct hp_err *err);

#endif
