// The errors of many stacks.  In a dump of 10,000 stacks there are some hundred that differ, as most
// stacks tell of an object or two of a usual size: stacks name what they share by number, 4 bytes
// for each in place of 128.  What is the sum of several dumps is a stack's own.
#ifndef HP_MODEL_STACK_ERRORS_H
#define HP_MODEL_STACK_ERRORS_H

#include "base/hash.h"
#include "base/vec.h"
#include "model/error.h"

#define HP_OWN_ERROR (UINT32_C(1) << 31)

// {0} is empty.
struct hp_stack_errors {
    HP_VEC(uint32_t)
    of; // of each stack a place in `shared`, or with HP_OWN_ERROR in `own`
    HP_VEC(struct hp_error) shared; // each once; they never change
    HP_VEC(struct hp_error) own;
    struct hp_index index; // of what is shared
};

// Until the next is added.
static inline const struct hp_error *hp_stack_error(const struct hp_stack_errors *errors,
                                                    size_t stack) {
    uint32_t place = errors->of.at[stack];
    return place & HP_OWN_ERROR ? &errors->own.at[place & ~HP_OWN_ERROR]
                                : &errors->shared.at[place];
}

// Of the next stack; it may be one of these errors.
void hp_stack_errors_push(struct hp_stack_errors *errors, const struct hp_error *error);

// Of a stack that has one; false if the sum does not fit.
bool hp_stack_errors_add(struct hp_stack_errors *errors, size_t stack,
                         const struct hp_error *error);

// So many stacks have one: those that are new have nothing sampled.
void hp_stack_errors_reach(struct hp_stack_errors *errors, size_t stacks);

// For the stacks of another dump, which are likely to have the same.
void hp_stack_errors_clear(struct hp_stack_errors *errors);

size_t hp_stack_errors_memory(const struct hp_stack_errors *errors);
void hp_stack_errors_done(struct hp_stack_errors *errors);

#endif
