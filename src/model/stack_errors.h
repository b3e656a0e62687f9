// The errors of many stacks, with equal errors stored once.
//
// A dump of 10,000 stacks has a few hundred different errors, because most stacks have
// one or two samples of a common size.  Stacks refer to shared errors by number, which
// takes 4 bytes for each instead of 128.  A stack with samples of several dumps has an
// error of its own.
#ifndef HP_MODEL_STACK_ERRORS_H
#define HP_MODEL_STACK_ERRORS_H

#include "base/error.h"
#include "base/hash.h"
#include "base/vec.h"

// Bit of a number in hp_stack_errors.of: its other bits are an index in `own`, not in
// `shared`.
#define HP_OWN_ERROR (UINT32_C(1) << 31)

// The errors of one column.  {0} is empty.
struct hp_stack_errors {
    // For each stack an index in `shared`, or with HP_OWN_ERROR in `own`.
    HP_VEC(uint32_t) of;
    HP_VEC(struct hp_error) shared; // distinct errors, which never change
    HP_VEC(struct hp_error) own;    // sums, each of one stack
    struct hp_index index;          // finds an error in `shared`
};

// Return the error of a stack.  The pointer is valid until the next error is added.
static inline const struct hp_error *hp_stack_error(const struct hp_stack_errors *errors,
                                                    size_t stack) {
    uint32_t place = errors->of.at[stack];
    return place & HP_OWN_ERROR ? &errors->own.at[place & ~HP_OWN_ERROR]
                                : &errors->shared.at[place];
}

// Append the error of the next stack.  `error` may point to an error in `errors`.
void hp_stack_errors_push(struct hp_stack_errors *errors, const struct hp_error *error);

// Add to the error of an existing stack.  Returns false if a sum does not fit.
bool hp_stack_errors_add(struct hp_stack_errors *errors, size_t stack,
                         const struct hp_error *error);

// Replace the error of an existing stack.
void hp_stack_errors_set(struct hp_stack_errors *errors, size_t stack,
                         const struct hp_error *error);

// Append errors of 0 (nothing sampled) until `stacks` stacks have an error.
void hp_stack_errors_reach(struct hp_stack_errors *errors, size_t stacks);

// Remove the errors of all stacks, but keep shared errors for the stacks of the next
// dump, which are likely to have the same ones.
void hp_stack_errors_clear(struct hp_stack_errors *errors);

// Return the bytes of memory that the vectors and the index take.
size_t hp_stack_errors_memory(const struct hp_stack_errors *errors);
void hp_stack_errors_done(struct hp_stack_errors *errors);

#endif
