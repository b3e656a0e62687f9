#include "model/stack_errors.h"

#include <assert.h>
#include <stddef.h>

enum {
    // Number of shared errors that are kept for the next dump, at most.
    MOST_KEPT = 1 << 14,
};

// Bytes of struct hp_error without padding at its end.
static const size_t error_size =
    offsetof(struct hp_error, read) + sizeof(((struct hp_error *)0)->read);
static_assert(offsetof(struct hp_error, read) == 5 * sizeof(hp_int128) +
                                                     2 * sizeof(uint64_t) +
                                                     sizeof(double) + sizeof(unsigned),
              "an error is compared byte by byte, and has no holes");

// Return the index in `shared` of an error, which is added there if it is new.  The error
// may be in `shared` itself.
static uint32_t share(struct hp_stack_errors *errors, const struct hp_error *error) {
    uintptr_t at = (uintptr_t)error, first = (uintptr_t)errors->shared.at;
    if (at >= first && at - first < errors->shared.count * sizeof *error) {
        return (uint32_t)((at - first) / sizeof *error);
    }
    uint32_t place = hp_index_of(&errors->index, &errors->shared, error, error_size);
    if (place == errors->shared.count) {
        hp_vec_push(&errors->shared, *error);
    }
    return place;
}

void hp_stack_errors_push(struct hp_stack_errors *errors, const struct hp_error *error) {
    uint32_t place = share(errors, error);
    hp_vec_push(&errors->of, place);
}

bool hp_stack_errors_add(struct hp_stack_errors *errors, size_t stack,
                         const struct hp_error *error) {
    uint32_t *place = &errors->of.at[stack];
    if (!(*place & HP_OWN_ERROR)) { // shared errors never change
        struct hp_error first = errors->shared.at[*place];
        *place = HP_OWN_ERROR | (uint32_t)errors->own.count;
        hp_vec_push(&errors->own, first);
    }
    return hp_error_add(&errors->own.at[*place & ~HP_OWN_ERROR], error);
}

void hp_stack_errors_set(struct hp_stack_errors *errors, size_t stack,
                         const struct hp_error *error) {
    errors->of.at[stack] = share(errors, error);
}

void hp_stack_errors_reach(struct hp_stack_errors *errors, size_t stacks) {
    static const struct hp_error none;
    while (errors->of.count < stacks) {
        hp_stack_errors_push(errors, &none);
    }
}

void hp_stack_errors_clear(struct hp_stack_errors *errors) {
    errors->of.count = errors->own.count = 0;
    if (errors->shared.count > MOST_KEPT) {
        errors->shared.count = 0;
        hp_index_drop(&errors->index);
    }
}

size_t hp_stack_errors_memory(const struct hp_stack_errors *errors) {
    return errors->of.capacity * sizeof *errors->of.at +
           errors->index.slot_count * sizeof *errors->index.slots +
           errors->index.hashes.capacity * sizeof *errors->index.hashes.at +
           (errors->shared.capacity + errors->own.capacity) * sizeof *errors->own.at;
}

void hp_stack_errors_done(struct hp_stack_errors *errors) {
    hp_vec_done(&errors->of);
    hp_vec_done(&errors->shared);
    hp_vec_done(&errors->own);
    hp_index_drop(&errors->index);
}
