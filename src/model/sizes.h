// Of which sizes the objects of each stack are.
//
// Parts of one stack add up to its values.  They are added exactly, and a stack of more sizes than
// are kept is of mixed sizes as a whole: so that they are the same in whatever order.
#ifndef HP_MODEL_SIZES_H
#define HP_MODEL_SIZES_H

#include "base/vec.h"
#include "model/error.h"

enum {
    HP_MIXED_SIZES = 0,    // the size of those that are not told
    HP_SIZES_OF_STACK = 32 // that are kept
};

struct hp_size_part {
    uint64_t size;
    bool is_likely; // some of it could be of other sizes
    uint32_t next;  // of the stack, + 1
    hp_fixed objects, bytes;
    struct hp_error error;
};

struct hp_stack_sizes {
    uint32_t first; // + 1
    uint32_t count; // but for the mixed ones
    bool is_full;   // there were more: all of them are one part
};

// {0} is empty.
struct hp_sizes {
    HP_VEC(struct hp_stack_sizes) stacks;
    HP_VEC(struct hp_size_part) parts;
    bool is_whole; // all stacks are one, number 0; to be set before
    bool overflow; // a sum did not fit
};

void hp_sizes_clear(struct hp_sizes *sizes); // keeps the memory
void hp_sizes_done(struct hp_sizes *sizes);
size_t hp_sizes_memory(const struct hp_sizes *sizes); // in bytes

// Add objects of one size, or mixed ones, to a stack; and all that a stack of others has.
void hp_sizes_add(struct hp_sizes *sizes, uint32_t stack,
                  const struct hp_size_part *part);
void hp_sizes_add_stack(struct hp_sizes *sizes, uint32_t stack,
                        const struct hp_sizes *others, uint32_t other);

// There were more than are kept.
void hp_sizes_fill(struct hp_sizes *sizes, uint32_t stack);

// The parts of a stack, one after the other, NULL behind the last; in no order.
const struct hp_size_part *hp_sizes_of(const struct hp_sizes *sizes, uint32_t stack);
const struct hp_size_part *hp_sizes_next(const struct hp_sizes *sizes,
                                         const struct hp_size_part *part);

#endif
