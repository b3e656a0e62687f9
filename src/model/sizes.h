// The sizes of the objects of each stack, as a list of parts.
//
// The parts of one stack add up to its values.  Sums are exact, and a stack with more
// sizes than the limit becomes a single part of mixed sizes: the result does not depend
// on the order in which parts are added.
#ifndef HP_MODEL_SIZES_H
#define HP_MODEL_SIZES_H

#include "base/error.h"
#include "base/vec.h"

enum {
    HP_MIXED_SIZES = 0,    // the size of a part whose sizes are mixed or unknown
    HP_SIZES_OF_STACK = 32 // limit of the sizes kept for one stack
};

// The objects of one size in one stack.
struct hp_size_part {
    uint64_t size;  // bytes of an object, or HP_MIXED_SIZES
    bool is_likely; // some objects may have another size than `size`
    uint32_t next;  // 1 + the index of the next part of the stack; 0: this is the last
    hp_fixed objects, bytes;
    struct hp_error error;
};

// The list of the objects of one stack by size, with one part (struct hp_size_part) for
// each size.
struct hp_stack_sizes {
    uint32_t first; // 1 + the index of its first part; 0: it has none
    uint32_t count; // number of parts, except the one of mixed sizes
    // HP_SIZES_OF_STACK was exceeded, so all objects are in one part of mixed sizes.
    bool is_full;
};

// The objects of all stacks by size, with one part (struct hp_size_part) for each size of
// each stack.  {0} is empty.
struct hp_sizes {
    HP_VEC(struct hp_stack_sizes) stacks; // list of each stack, by its number
    HP_VEC(struct hp_size_part) parts;    // parts of all stacks, linked by `next`
    // Keep one list, number 0, for all stacks together; must be set before parts are
    // added.
    bool is_whole;
    bool overflow; // a sum did not fit
};

// Empties the lists; vectors keep their memory.
void hp_sizes_clear(struct hp_sizes *sizes);
void hp_sizes_done(struct hp_sizes *sizes);
size_t hp_sizes_memory(const struct hp_sizes *sizes); // in bytes

// Add objects of one size, a part, to a stack; hp_sizes_add_stack() adds all parts of
// stack `other` of another set of lists.
void hp_sizes_add(struct hp_sizes *sizes, uint32_t stack,
                  const struct hp_size_part *part);
void hp_sizes_add_stack(struct hp_sizes *sizes, uint32_t stack,
                        const struct hp_sizes *others, uint32_t other);

// Replace all parts of a stack by one.
void hp_sizes_set(struct hp_sizes *sizes, uint32_t stack,
                  const struct hp_size_part *part);

// Record that a stack has more sizes than HP_SIZES_OF_STACK: its parts become one part of
// mixed sizes, to which all later parts are added.
void hp_sizes_fill(struct hp_sizes *sizes, uint32_t stack);

// Return the first part (objects of one size) of a stack, or the part after `part`; NULL
// after the last.  The parts are in no order.
const struct hp_size_part *hp_sizes_of(const struct hp_sizes *sizes, uint32_t stack);
const struct hp_size_part *hp_sizes_next(const struct hp_sizes *sizes,
                                         const struct hp_size_part *part);

#endif
