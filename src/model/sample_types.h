// Sample types of pprof profiles other than the four metrics, for example
// "resident_space" in "bytes".
//
// It is unknown how their values were scaled: they are added without a change, and their
// errors are unknown.  The values of stacks are kept in separate tables, so that a
// profile without such types needs neither memory nor time for them.
#ifndef HP_MODEL_SAMPLE_TYPES_H
#define HP_MODEL_SAMPLE_TYPES_H

#include "base/strtab.h"
#include "model/history.h"

// The sum of one type over all inputs, for one stack.
struct hp_sample_sum {
    uint32_t stack; // number of the stack in the profile
    hp_fixed value; // sum, in fixed point with hp_fraction(in_place_of) bits
};

// One input that has the type, and the sum of its values over all stacks.
struct hp_sample_input {
    uint32_t number;  // number of the input, as in struct hp_input_record
    bool is_negative; // whether some of its values are below zero
    hp_fixed total;   // sum of its values, in fixed point as in struct hp_sample_sum
};

// One sample type, its sums by stack and its values by input.
struct hp_sample_type {
    // Texts in the strings of the owner; any unit of space is converted to "bytes".
    hp_string type, unit;
    // The metric whose fixed point it uses: HP_INUSE_SPACE for bytes, otherwise
    // HP_INUSE_OBJECTS.
    enum hp_metric in_place_of;
    HP_VEC(struct hp_sample_sum) sums;
    struct hp_index index;
    // Inputs that have the type, even if all values are 0; by number once sorted.
    HP_VEC(struct hp_sample_input) inputs;
    // Values by input and stack, stored as if they were of the metric `in_place_of`.
    struct hp_history history;
};

// All sample types of a profile.  {0} is empty.
struct hp_sample_types {
    // The functions below refer to a type by its index here, which sorting changes.
    HP_VEC(struct hp_sample_type) of;
    struct hp_index index;
    bool overflow; // a sum did not fit
};

// Free all that a type owns, or all types.
void hp_sample_type_done(struct hp_sample_type *type);
void hp_sample_types_done(struct hp_sample_types *types);

// Find a type, or add it.  Returns its number in `types->of`.
uint32_t hp_sample_types_find(struct hp_sample_types *types, hp_string type,
                              hp_string unit, bool is_space);

// Begin an input that has a type; hp_sample_type_end() ends it.  Between these two calls
// hp_sample_type_add() adds the value of each stack, in whole units, to the sum of the
// stack and to the input.  A value of 0 is ignored.
void hp_sample_type_begin(struct hp_sample_type *type, uint32_t input,
                          bool keeps_history);
void hp_sample_type_add(struct hp_sample_types *types, uint32_t number, uint32_t stack,
                        int64_t value);
void hp_sample_type_end(struct hp_sample_type *type);

// Add the content of a partial, which has sums and values separately.
// hp_sample_types_add_sum() adds to the sum of a stack only.  hp_sample_type_put()
// records a stack's value in the input that was begun, but does not add it to the sum.
void hp_sample_types_add_sum(struct hp_sample_types *types, uint32_t number,
                             uint32_t stack, hp_fixed value);
void hp_sample_type_put(struct hp_sample_type *type, uint32_t stack, hp_fixed value);

// How to import sample types: their texts go from `from` to `to`, and stack i of the
// `stack_count` stacks of the other profile becomes stack map[i].
struct hp_sample_import {
    struct hp_strtab *to;
    const struct hp_strtab *from;
    const uint32_t *map;
    size_t stack_count;
};

// Add all types of `other`; `import` says what becomes of their texts and of the numbers
// of stacks.  The history of `other` is taken over, so that only hp_sample_types_done()
// may be called for it afterwards.
void hp_sample_types_absorb(struct hp_sample_types *types, struct hp_sample_types *other,
                            const struct hp_sample_import *import);

// Sort types by name and inputs by number, independently of the order of the inputs.
// Nothing may be added afterwards.
void hp_sample_types_sort(struct hp_sample_types *types, const struct hp_strtab *strings);

// Return the sum over all inputs.
hp_fixed hp_sample_type_total(const struct hp_sample_type *type);

// Return the values that an input has of a type, or NULL if it has none.  The types must
// have been sorted.
const struct hp_sample_input *hp_sample_type_input(const struct hp_sample_type *type,
                                                   uint32_t number);

#endif
