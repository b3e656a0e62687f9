// A package of split debug information (.dwp): which parts of its sections are of one unit.
#ifndef HP_SYM_PACKAGE_H
#define HP_SYM_PACKAGE_H

#include "sym/parts.h"

// Cut `parts`, which are those of the whole package, down to the unit with that id; strings are of all
// units.  False if `index`, its .debug_cu_index, has none, or one that is elsewhere than it says.
bool hp_package_find(struct hp_span index, bool is_big_endian, uint64_t id,
                     struct hp_parts *parts);

#endif
