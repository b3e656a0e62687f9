#include "model/sample_types.h"

#include <stdlib.h>

void hp_sample_type_done(struct hp_sample_type *type) {
    hp_vec_done(&type->sums);
    hp_index_drop(&type->index);
    hp_vec_done(&type->inputs);
    hp_history_done(&type->history);
}

void hp_sample_types_done(struct hp_sample_types *types) {
    struct hp_sample_type *type;
    hp_vec_each (type, &types->of) {
        hp_sample_type_done(type);
    }
    hp_vec_done(&types->of);
    hp_index_drop(&types->index);
}

uint32_t hp_sample_types_find(struct hp_sample_types *types, hp_string type,
                              hp_string unit, bool is_space) {
    struct hp_sample_type added = {
        .type = type,
        .unit = unit,
        .in_place_of = is_space ? HP_INUSE_SPACE : HP_INUSE_OBJECTS,
    };
    const hp_string key[] = {type, unit};
    uint32_t number = hp_index_of(&types->index, &types->of, key, sizeof key);
    if (number == types->of.count) {
        hp_vec_push(&types->of, added);
    }
    return number;
}

// --- adding ----------------------------------------------------------------------------

// Add a value to the sum of one stack, which is created if it is new.
static void add(struct hp_sample_types *types, struct hp_sample_type *type,
                uint32_t stack, hp_fixed value) {
    uint32_t number = hp_index_of(&type->index, &type->sums, &stack, sizeof stack);
    if (number == type->sums.count) {
        hp_vec_push(&type->sums, ((struct hp_sample_sum){stack, 0}));
    }
    hp_fixed *sum = &type->sums.at[number].value;
    types->overflow |= __builtin_add_overflow(*sum, value, sum);
}

void hp_sample_type_begin(struct hp_sample_type *type, uint32_t input,
                          bool keeps_history) {
    hp_vec_push(&type->inputs, ((struct hp_sample_input){.number = input}));
    type->history.is_kept = keeps_history;
    hp_history_begin(&type->history);
}

void hp_sample_types_add_sum(struct hp_sample_types *types, uint32_t number,
                             uint32_t stack, hp_fixed value) {
    add(types, &types->of.at[number], stack, value);
}

void hp_sample_type_put(struct hp_sample_type *type, uint32_t stack, hp_fixed value) {
    static const struct hp_error *const no_errors[HP_COLUMNS];
    struct hp_sample_input *input = &type->inputs.at[type->inputs.count - 1];
    // No overflow is possible: 2^32 values of 2^63 units of 2^-32.
    input->total = (hp_fixed)((hp_uint128)input->total + (hp_uint128)value);
    input->is_negative |= value < 0;
    if (type->history.is_kept) {
        struct hp_values values = {{0}};
        values.of[type->in_place_of] = value;
        hp_history_put(&type->history, stack, &values, no_errors);
    }
}

void hp_sample_type_add(struct hp_sample_types *types, uint32_t number, uint32_t stack,
                        int64_t value) {
    struct hp_sample_type *type = &types->of.at[number];
    hp_fixed fixed = (hp_fixed)value * ((hp_fixed)1 << hp_fraction(type->in_place_of));
    if (value == 0) {
        return;
    }
    add(types, type, stack, fixed);
    hp_sample_type_put(type, stack, fixed);
}

void hp_sample_type_end(struct hp_sample_type *type) {
    if (type->history.is_kept) {
        hp_history_end(&type->history, type->inputs.at[type->inputs.count - 1].number);
    }
}

// --- merging ---------------------------------------------------------------------------

void hp_sample_types_absorb(struct hp_sample_types *types, struct hp_sample_types *other,
                            const struct hp_sample_import *import) {
    struct hp_sample_type *from;
    hp_vec_each (from, &other->of) {
        hp_string type =
            hp_strtab_add(import->to, hp_strtab_span(import->from, from->type));
        hp_string unit =
            hp_strtab_add(import->to, hp_strtab_span(import->from, from->unit));
        uint32_t number =
            hp_sample_types_find(types, type, unit, from->in_place_of == HP_INUSE_SPACE);
        struct hp_sample_type *to = &types->of.at[number];
        const struct hp_sample_sum *sum;
        hp_vec_each (sum, &from->sums) {
            add(types, to, import->map[sum->stack], sum->value);
        }
        hp_vec_append(&to->inputs, from->inputs.at, from->inputs.count);
        to->history.is_kept |= from->history.is_kept;
        hp_history_absorb(&to->history, &from->history, import->map, import->stack_count,
                          0);
    }
    types->overflow |= other->overflow;
}

// --- order -----------------------------------------------------------------------------

static int by_name(const void *left, const void *right, void *strings) {
    const struct hp_sample_type *a = left, *b = right;
    int order = hp_span_compare(hp_strtab_span(strings, a->type),
                                hp_strtab_span(strings, b->type));
    return order ? order
                 : hp_span_compare(hp_strtab_span(strings, a->unit),
                                   hp_strtab_span(strings, b->unit));
}

// Order structs whose first member is a number.
static int by_number(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

// Add up the entries of each input, which must be sorted by number: an input has several
// if its profile was read from shards.
static void join_inputs(struct hp_sample_type *type) {
    size_t kept = 0;
    for (size_t i = 0; i < type->inputs.count; i++) {
        const struct hp_sample_input *input = &type->inputs.at[i];
        struct hp_sample_input *last = kept > 0 ? &type->inputs.at[kept - 1] : NULL;
        if (last && last->number == input->number) {
            last->is_negative |= input->is_negative;
            last->total += input->total;
        } else {
            type->inputs.at[kept++] = *input;
        }
    }
    type->inputs.count = kept;
}

void hp_sample_types_sort(struct hp_sample_types *types,
                          const struct hp_strtab *strings) {
    struct hp_sample_type *type;
    hp_vec_each (type, &types->of) {
        hp_index_drop(&type->index);
        hp_vec_sort(&type->inputs, by_number);
        join_inputs(type);
        hp_history_sort(&type->history);
    }
    hp_index_drop(&types->index);
    hp_vec_sort_r(&types->of, by_name, (void *)(uintptr_t)strings);
}

hp_fixed hp_sample_type_total(const struct hp_sample_type *type) {
    hp_fixed total = 0;
    const struct hp_sample_input *input;
    hp_vec_each (input, &type->inputs) {
        total += input->total;
    }
    return total;
}

const struct hp_sample_input *hp_sample_type_input(const struct hp_sample_type *type,
                                                   uint32_t number) {
    return type->inputs.count > 0 ? bsearch(&number, type->inputs.at, type->inputs.count,
                                            sizeof *type->inputs.at, by_number)
                                  : NULL;
}
