// Which nodes a pattern picks.
#ifndef HP_VIEW_PICKS_H
#define HP_VIEW_PICKS_H

#include "view/naming.h"

// Of each node; to be freed.
bool *hp_picks_new(const struct hp_naming *naming);

// Whether any that stacks come by is picked; HP_REPORT_LIST is about functions with names.
bool hp_picks_exist(const struct hp_profile *profile,
                    const struct hp_report_options *options);

#endif
