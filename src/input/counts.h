// The four numbers of a line, as all text formats print them.
#ifndef HP_INPUT_COUNTS_H
#define HP_INPUT_COUNTS_H

#include "base/cursor.h"
#include "model/values.h"

// "1: 64 [2: 128]": objects in use, their bytes, objects ever allocated, their bytes.
struct hp_counts hp_counts_read(struct hp_cursor *c);

// A count that is none: clear it.
bool hp_count_drop_wrapped(struct hp_count *count);

#endif
