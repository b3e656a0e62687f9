// Names of functions without what makes those of C++ and Rust long.
#ifndef HP_VIEW_SHORTNAME_H
#define HP_VIEW_SHORTNAME_H

#include "base/span.h"

// "f" for "void f<int>(int) const": without template arguments, parameters and what follows
// them, and the type it returns.  Returns the name itself, or what it wrote to `out`, which has
// room for as much as the name has.  Names that are none of C++ or Rust stay as they are.
struct hp_span hp_short_name(struct hp_span full, char *out);

#endif
