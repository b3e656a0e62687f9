// The estimate of each stack of one dump, for a caller that needs dumps one by one.
#ifndef HP_MODEL_DUMP_ROWS_H
#define HP_MODEL_DUMP_ROWS_H

#include "base/error.h"
#include "base/vec.h"

// The estimate of one stack in one dump.
struct hp_dump_row {
    uint32_t stack; // number of the stack in the profile that the dump was added to
    struct hp_values values;
    struct hp_error errors[HP_COLUMNS]; // {0} in a column that has no known error
};

// The rows of one dump.  A stack may have several, for its threads and labels.  {0} is
// empty.
struct hp_dump_rows {
    HP_VEC(struct hp_dump_row) all;
};

#endif
