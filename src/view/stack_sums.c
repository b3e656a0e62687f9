// Sums of the stacks of a view over selected inputs.
#include "view/projection.h"
#include "view/rounding.h"
#include "view/stacks.h"

#include <string.h>

hp_fixed hp_mean_of(hp_fixed sum, size_t inputs) {
    hp_fixed n = (hp_fixed)inputs;
    return n > 0 ? (sum + n / 2) / n : 0;
}

// --- selected inputs ----------------------------------------------------------------------

// Values of one stack of the profile, in all inputs or in one of them.
struct stack_part {
    size_t stack; // number in the profile
    const struct hp_values *values;
    const struct hp_error *errors[HP_COLUMNS]; // NULL: not known
    // True: the values of the stack over all inputs; they and the errors belong to the
    // profile and stay valid.  False: those in one input, valid until the next part.
    bool is_all;
};

// A function that adds the values of one stack to `sums`.
typedef void add_fn(void *sums, const struct stack_part *part);

// Call `add` for each stack of the profile, with its values over all inputs.
static void add_all(const struct hp_profile *profile, add_fn *add, void *sums) {
    for (size_t i = 0; i < profile->stacks.count; i++) {
        struct stack_part part = {.stack = i,
                                  .values = &profile->stacks.at[i].values,
                                  .is_all = true};
        for (enum hp_column k = 0; k < HP_COLUMNS; k++) {
            bool is_known = hp_profile_has_errors(profile, k);
            part.errors[k] =
                is_known ? hp_stack_error(&profile->errors.stacks[k], i) : NULL;
        }
        add(sums, &part);
    }
}

// Call `add` for each stack of input `number`, with its values from the history.
static void add_input(const struct hp_profile *profile, uint32_t number, add_fn *add,
                      void *sums) {
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    hp_history_open(&reader, &profile->history, number);
    while (hp_history_next(&reader, &seen)) {
        struct stack_part part = {
            seen.stack, &seen.values, {&seen.errors[0], &seen.errors[1]}, false};
        add(sums, &part);
    }
    hp_history_done_reading(&reader);
}

// Call `add` for the stacks of all selected inputs.  Returns the number of inputs by
// which to divide the sums for a mean; 1 if the selection is no mean.
static size_t add_selected(const struct hp_profile *profile,
                           struct hp_selection selection, add_fn *add, void *sums) {
    size_t count = 0;
    const struct hp_input_record *input;
    if (selection.of == HP_OF_ALL) {
        add_all(profile, add, sums);
        return 1;
    }
    if (selection.of == HP_OF_INPUT) {
        add_input(profile, selection.input, add, sums);
        return 1;
    }
    hp_vec_each (input, &profile->inputs.records) {
        if (hp_input_is_used(input) && input->is_base == (selection.of == HP_OF_BASE)) {
            add_input(profile, input->number, add, sums);
            count += 1 + input->others;
        }
    }
    return count;
}

// --- sums of all metrics ------------------------------------------------------------------

void hp_stack_sums_init(struct hp_stack_sums *sums, const struct hp_stacks *stacks,
                        bool errors) {
    size_t count = stacks->all.count;
    *sums = (struct hp_stack_sums){
        .values = hp_alloc(count * sizeof *sums->values),
        .is_added = hp_alloc(count * sizeof *sums->is_added),
        .profile = stacks->naming->profile,
    };
    for (enum hp_column k = 0; k < HP_COLUMNS && errors; k++) {
        sums->errors[k].of = hp_alloc(count * sizeof *sums->errors[k].of);
    }
}

void hp_stack_sums_init_of_type(struct hp_stack_sums *sums,
                                const struct hp_stacks *stacks,
                                const struct hp_sample_type *type) {
    hp_stack_sums_init(sums, stacks, false);
    sums->projection = hp_projection_new(sums->profile, type);
    sums->profile = sums->projection;
}

void hp_stack_sums_done(struct hp_stack_sums *sums) {
    hp_projection_free(sums->projection);
    free(sums->values);
    for (enum hp_column k = 0; k < HP_COLUMNS; k++) {
        free(sums->errors[k].of);
        hp_vec_done(&sums->errors[k].own);
    }
    free(sums->is_added);
    hp_vec_done(&sums->added);
}

void hp_stack_sums_clear(struct hp_stack_sums *sums) {
    const uint32_t *stack;
    hp_vec_each (stack, &sums->added) {
        sums->values[*stack] = (struct hp_values){{0}};
        sums->is_added[*stack] = false;
        for (enum hp_column k = 0; k < HP_COLUMNS && sums->errors[k].of; k++) {
            sums->errors[k].of[*stack] = 0;
        }
    }
    for (enum hp_column k = 0; k < HP_COLUMNS; k++) {
        sums->errors[k].own.count = 0;
    }
    sums->added.count = 0;
}

const struct hp_error *hp_stack_sums_error(const struct hp_stack_sums *sums, size_t stack,
                                           enum hp_column column) {
    static const struct hp_error none;
    const struct hp_error_sums *errors = &sums->errors[column];
    uint32_t place = errors->of[stack];
    if (place & HP_OWN_ERROR) {
        return &errors->own.at[place & ~HP_OWN_ERROR];
    }
    return place > 0 ? hp_stack_error(&sums->profile->errors.stacks[column], place - 1)
                     : &none;
}

// Add the error of a part to the error of stack `stack` of the view.  If it is the first
// one, and belongs to the profile, only its number is stored; else a sum is made in
// errors->own.
static void add_error(struct hp_stack_sums *sums, uint32_t stack, enum hp_column column,
                      const struct stack_part *part) {
    struct hp_error_sums *errors = &sums->errors[column];
    uint32_t *place = &errors->of[stack];
    if (*place == 0 && part->is_all) {
        *place = (uint32_t)part->stack + 1;
        return;
    }
    if (!(*place & HP_OWN_ERROR)) {
        struct hp_error first = *hp_stack_sums_error(sums, stack, column);
        *place = HP_OWN_ERROR | (uint32_t)errors->own.count;
        hp_vec_push(&errors->own, first);
    }
    hp_error_add(&errors->own.at[*place & ~HP_OWN_ERROR], part->errors[column]);
}

// The sums that add_to_sums() adds the values of a stack to.
struct stack_adder {
    struct hp_stack_sums *sums;
    const struct hp_stacks *stacks;
};

// An add_fn that adds all metrics, and errors if they are kept, to the stack of the view
// that a stack of the profile belongs to.
static void add_to_sums(void *data, const struct stack_part *part) {
    const struct stack_adder *adder = data;
    uint32_t stack = adder->stacks->of_profile[part->stack];
    if (stack == HP_NO_STACK) {
        return;
    }
    if (!adder->sums->is_added[stack]) {
        adder->sums->is_added[stack] = true;
        hp_vec_push(&adder->sums->added, stack);
    }
    hp_values_add(&adder->sums->values[stack], part->values);
    for (enum hp_column k = 0; k < HP_COLUMNS && adder->sums->errors[k].of; k++) {
        if (part->errors[k]) {
            add_error(adder->sums, stack, k, part);
        }
    }
}

void hp_stack_sums_add(struct hp_stack_sums *sums, const struct hp_stacks *stacks,
                       struct hp_selection selection) {
    struct stack_adder adder = {sums, stacks};
    size_t inputs = add_selected(sums->profile, selection, add_to_sums, &adder);
    for (size_t i = 0; inputs > 1 && i < stacks->all.count; i++) {
        for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
            hp_fixed *value = &sums->values[i].of[metric];
            *value = hp_mean_of(*value, inputs);
        }
    }
}

// --- whole numbers of one metric ----------------------------------------------------------

// The data of add_to_single(): sums of one metric, by stack of the view.
struct single_metric {
    hp_fixed *sums;
    const struct hp_stacks *stacks;
    enum hp_metric metric;
};

// An add_fn that adds one metric.
static void add_to_single(void *data, const struct stack_part *part) {
    const struct single_metric *single = data;
    uint32_t stack = single->stacks->of_profile[part->stack];
    if (stack != HP_NO_STACK) {
        single->sums[stack] += part->values->of[single->metric];
    }
}

hp_int128 *hp_stacks_whole(const struct hp_stacks *stacks, struct hp_selection selection,
                           enum hp_metric metric) {
    size_t count = stacks->all.count;
    struct single_metric single = {hp_alloc(count * sizeof *single.sums), stacks, metric};
    hp_int128 *whole = hp_alloc(count * sizeof *whole);
    size_t inputs =
        add_selected(stacks->naming->profile, selection, add_to_single, &single);
    for (size_t i = 0; inputs > 1 && i < count; i++) {
        single.sums[i] = hp_mean_of(single.sums[i], inputs);
    }
    hp_round_to_total(single.sums, count, metric, whole);
    free(single.sums);
    return whole;
}
