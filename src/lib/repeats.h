// Inputs that have the same content.
#ifndef HP_LIB_REPEATS_H
#define HP_LIB_REPEATS_H

#include "base/err.h"
#include "model/input.h"

// Of the inputs with one content let the first be the one that was read, and the others its
// repetitions.  Returns the first input that repeats another, or `count`.
size_t hp_repeats_settle(struct hp_input_record *records, size_t count);

// Fail, and say what it repeats.
HP_MUST_CHECK int hp_repeats_refuse(const struct hp_input_record *records,
                                    size_t repeated, struct hp_err *err);

#endif
