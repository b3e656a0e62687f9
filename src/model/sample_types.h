// Sample types of pprof profiles beside the four metrics: "resident_space" in "bytes".
//
// Nobody knows how their values were scaled: they are added up as they are, and nothing is known
// of their errors.  What stacks have of them is in tables of their own, so that a profile
// without such types has, and pays, nothing.
#ifndef HP_MODEL_SAMPLE_TYPES_H
#define HP_MODEL_SAMPLE_TYPES_H

#include "base/strtab.h"
#include "model/history.h"

// Of one stack.
struct hp_sample_sum {
    uint32_t stack; // of the profile
    hp_fixed value; // with hp_fraction() of the metric in whose place it is
};

struct hp_sample_input {
    uint32_t number;  // as in struct hp_input_record
    bool is_negative; // some of its values are below zero
    hp_fixed total;
};

struct hp_sample_type {
    hp_string type, unit;       // of one owner's strings; any unit of space is "bytes"
    enum hp_metric in_place_of; // HP_INUSE_SPACE of bytes, else HP_INUSE_OBJECTS
    HP_VEC(struct hp_sample_sum) sums;
    struct hp_index index;
    HP_VEC(struct hp_sample_input) inputs; // that have it, if only zeros; by number
    struct hp_history history;             // with the values in that place
};

// {0} is empty.
struct hp_sample_types {
    HP_VEC(struct hp_sample_type) of;
    struct hp_index index;
    bool overflow; // a sum did not fit
};

void hp_sample_types_done(struct hp_sample_types *types);

// The number of a type, which is added if need be.
uint32_t hp_sample_types_find(struct hp_sample_types *types, hp_string type,
                              hp_string unit, bool is_space);

// An input that has a type: its values are added between begin and end.
void hp_sample_type_begin(struct hp_sample_type *type, uint32_t input,
                          bool keeps_history);
void hp_sample_type_add(struct hp_sample_types *types, uint32_t number, uint32_t stack,
                        int64_t value);
void hp_sample_type_end(struct hp_sample_type *type);

// The same of what has been added up before: of a stack; and what an input has of one, between
// begin and end, which is in the sum already.
void hp_sample_types_add_sum(struct hp_sample_types *types, uint32_t number,
                             uint32_t stack, hp_fixed value);
void hp_sample_type_put(struct hp_sample_type *type, uint32_t stack, hp_fixed value);

// Add those of `other`, whose texts are in `strings`; its `stack_count` stacks are called
// map[stack] here.
struct hp_sample_import {
    struct hp_strtab *to;
    const struct hp_strtab *from;
    const uint32_t *map;
    size_t stack_count;
};

void hp_sample_types_absorb(struct hp_sample_types *types, struct hp_sample_types *other,
                            const struct hp_sample_import *import);

// Bring all into an order that does not depend on that of the inputs, when nothing more comes.
void hp_sample_types_sort(struct hp_sample_types *types, const struct hp_strtab *strings);

// Of all inputs.
hp_fixed hp_sample_type_total(const struct hp_sample_type *type);

// What an input has of a type; NULL if it is not told of.  Once they are sorted.
const struct hp_sample_input *hp_sample_type_input(const struct hp_sample_type *type,
                                                   uint32_t number);

#endif
