// The columns of a block of stacks: where the numbers of each stack stand.
#ifndef HP_PARTIAL_PARTIAL_COLUMNS_H
#define HP_PARTIAL_PARTIAL_COLUMNS_H

#include "model/error.h"

// A block holds, of each column: its size in bytes, then its numbers, stack after stack.
enum {
    HP_COLUMN_KEY = 0, // set of labels, frames shared with the last stack, further ones
    HP_COLUMN_FRAMES,  // these: the first as its distance from the one in its place
    HP_COLUMN_VALUES,  // of each metric
    HP_COLUMN_ERRORS = HP_COLUMN_VALUES + HP_METRICS,
    HP_ERROR_SLOTS = 12,
    HP_COLUMN_SIZES = HP_COLUMN_ERRORS + HP_COLUMNS * HP_ERROR_SLOTS,
    HP_STACK_COLUMNS = HP_COLUMN_SIZES + HP_COLUMNS,
};

// Of the parts of a stack by size: 2 * how many, + 1 if there were too many to tell apart; of each
// its size, and these.
enum hp_part_flag {
    HP_PART_IS_LIKELY = 1 << 0,
    HP_PART_IS_ALL = 1 << 1, // objects, bytes and error are the stack's; else they follow
};

#endif
