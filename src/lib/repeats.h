// Inputs that have the same content.
#ifndef HP_LIB_REPEATS_H
#define HP_LIB_REPEATS_H

#include "base/err.h"
#include "model/input.h"

// Two inputs of one content, by their numbers.
struct hp_repeat {
    size_t first, again;
};

// Of the inputs with one content on one side of a diff let the first be the one that was read,
// and the others its repetitions.  Returns the first that is repeated; else both are `count`.
struct hp_repeat hp_repeats_settle(struct hp_input_record *records, size_t count);

// The first that is on both sides of a diff, unless there is but one on each, which is to be
// compared with itself.
struct hp_repeat hp_repeats_across(const struct hp_input_record *records, size_t count);

// Fail, and say what it repeats.
HP_MUST_CHECK int hp_repeats_refuse(const struct hp_input_record *records,
                                    struct hp_repeat repeat, struct hp_err *err);

#endif
