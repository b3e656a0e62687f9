// Packages of split debug information (.dwp): finds the parts of their sections that
// belong to a unit.
#ifndef HP_SYM_PACKAGE_H
#define HP_SYM_PACKAGE_H

#include "sym/parts.h"

// Reduce `parts`, the sections of the whole package, to those of the unit with that id.
// Strings are shared by all units and stay.  Returns false if `index`, the
// .debug_cu_index, has no such unit or refers outside a section.
bool hp_package_find(struct hp_span index, bool is_big_endian, uint64_t id,
                     struct hp_parts *parts);

#endif
