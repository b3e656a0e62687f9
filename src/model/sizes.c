#include "model/sizes.h"

void hp_sizes_clear(struct hp_sizes *sizes) {
    sizes->stacks.count = 0;
    sizes->parts.count = 0;
    sizes->overflow = false;
}

void hp_sizes_done(struct hp_sizes *sizes) {
    hp_vec_done(&sizes->stacks);
    hp_vec_done(&sizes->parts);
}

size_t hp_sizes_memory(const struct hp_sizes *sizes) {
    return sizes->stacks.capacity * sizeof *sizes->stacks.at +
           sizes->parts.capacity * sizeof *sizes->parts.at;
}

// Return the element of sizes->parts with this number, which counts from 1; NULL for 0.
static struct hp_size_part *part_at(const struct hp_sizes *sizes, uint32_t number) {
    return number > 0 ? &sizes->parts.at[number - 1] : NULL;
}

const struct hp_size_part *hp_sizes_of(const struct hp_sizes *sizes, uint32_t stack) {
    return stack < sizes->stacks.count ? part_at(sizes, sizes->stacks.at[stack].first)
                                       : NULL;
}

const struct hp_size_part *hp_sizes_next(const struct hp_sizes *sizes,
                                         const struct hp_size_part *part) {
    return part_at(sizes, part->next);
}

// Add the objects of `part` to those of `sum`, which have the same size.
static void add_to(struct hp_sizes *sizes, struct hp_size_part *sum,
                   const struct hp_size_part *part) {
    bool overflow = __builtin_add_overflow(sum->objects, part->objects, &sum->objects);
    overflow |= __builtin_add_overflow(sum->bytes, part->bytes, &sum->bytes);
    overflow |= !hp_error_add(&sum->error, &part->error);
    sum->is_likely |= part->is_likely;
    sizes->overflow |= overflow;
}

// Join all parts of a stack to one part of mixed sizes, and set is_full, so that all
// later parts are added to that one.
static void fill(struct hp_sizes *sizes, struct hp_stack_sizes *stack) {
    struct hp_size_part *first = part_at(sizes, stack->first);
    while (first && first->next > 0) {
        const struct hp_size_part *part = part_at(sizes, first->next);
        first->next = part->next;
        add_to(sizes, first, part);
    }
    if (first) {
        first->size = HP_MIXED_SIZES;
        first->is_likely = true;
    }
    stack->is_full = true;
    stack->count = 0;
}

// Return the element for objects of this size in the list that begins with number
// `first`, or NULL.
static struct hp_size_part *find(const struct hp_sizes *sizes, uint32_t first,
                                 uint64_t size) {
    struct hp_size_part *part = part_at(sizes, first);
    while (part && part->size != size) {
        part = part_at(sizes, part->next);
    }
    return part;
}

void hp_sizes_add(struct hp_sizes *sizes, uint32_t stack,
                  const struct hp_size_part *part) {
    struct hp_stack_sizes *of = hp_vec_reach(&sizes->stacks, sizes->is_whole ? 0 : stack);
    struct hp_size_part added = *part;
    if (of->is_full) {
        added.size = HP_MIXED_SIZES;
    }
    added.is_likely |= added.size == HP_MIXED_SIZES;
    struct hp_size_part *sum = find(sizes, of->first, added.size);
    if (sum) {
        add_to(sizes, sum, &added);
        return;
    }
    added.next = of->first;
    hp_vec_push(&sizes->parts, added);
    of->first = (uint32_t)sizes->parts.count;
    of->count += added.size != HP_MIXED_SIZES;
    if (of->count > HP_SIZES_OF_STACK) {
        fill(sizes, of);
    }
}

void hp_sizes_set(struct hp_sizes *sizes, uint32_t stack,
                  const struct hp_size_part *part) {
    *hp_vec_reach(&sizes->stacks, stack) = (struct hp_stack_sizes){.first = 0};
    hp_sizes_add(sizes, stack, part);
}

void hp_sizes_fill(struct hp_sizes *sizes, uint32_t stack) {
    fill(sizes, hp_vec_reach(&sizes->stacks, sizes->is_whole ? 0 : stack));
}

void hp_sizes_add_stack(struct hp_sizes *sizes, uint32_t stack,
                        const struct hp_sizes *others, uint32_t other) {
    if (other >= others->stacks.count) {
        return;
    }
    if (others->stacks.at[other].is_full) {
        hp_sizes_fill(sizes, stack);
    }
    const struct hp_size_part *part = hp_sizes_of(others, other);
    for (; part; part = hp_sizes_next(others, part)) {
        hp_sizes_add(sizes, stack, part);
    }
}
