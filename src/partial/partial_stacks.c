// Stacks are in order of their labels, then of their frames from the root on, a stack before those
// that it begins.  A key says how many frames from the root on it shares with the one before it:
// in a block the first shares none.
#include "partial/partial_columns.h"
#include "partial/partial_writer.h"

#include <stdlib.h>
#include <string.h>

// --- order --------------------------------------------------------------------------------

static uint32_t frame_from_root(const struct hp_stack *stack, uint32_t i) {
    return stack->frames[stack->depth - 1 - i].n;
}

static uint32_t set_of(const struct hp_partial_writer *w, uint32_t stack) {
    return w->set_rank[hp_profile_tags(w->profile, stack).n];
}

static uint32_t shared_frames(const struct hp_stack *a, const struct hp_stack *b) {
    uint32_t i = 0;
    while (i < a->depth && i < b->depth &&
           frame_from_root(a, i) == frame_from_root(b, i)) {
        i++;
    }
    return i;
}

static int by_key(const void *left, const void *right, void *context) {
    const struct hp_partial_writer *w = context;
    uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
    const struct hp_stack *a = &w->profile->stacks.at[i], *b = &w->profile->stacks.at[k];
    uint32_t set_a = set_of(w, i), set_b = set_of(w, k), shared = shared_frames(a, b);
    if (set_a != set_b) {
        return set_a < set_b ? -1 : 1;
    }
    if (shared == a->depth || shared == b->depth) {
        return (a->depth > b->depth) - (a->depth < b->depth);
    }
    return frame_from_root(a, shared) < frame_from_root(b, shared) ? -1 : 1;
}

void hp_order_stacks(struct hp_partial_writer *w) {
    size_t count = w->profile->stacks.count;
    w->order = hp_alloc((count + 1) * sizeof *w->order);
    w->rank = hp_alloc((count + 1) * sizeof *w->rank);
    for (size_t i = 0; i < count; i++) {
        w->order[i] = (uint32_t)i;
    }
    qsort_r(w->order, count, sizeof *w->order, by_key, w);
    for (size_t i = 0; i < count; i++) {
        w->rank[w->order[i]] = (uint32_t)i;
    }
}

// --- sizes --------------------------------------------------------------------------------

struct columns {
    struct hp_partial_writer *w;
    struct hp_bytes of[HP_STACK_COLUMNS];
    const struct hp_stack *last; // in this block; NULL: none
};

static bool same_error(const struct hp_error *a, const struct hp_error *b) {
    bool same = a->variance == b->variance &&
                a->objects_variance == b->objects_variance &&
                a->observed_bytes == b->observed_bytes &&
                a->hidden_bytes_max == b->hidden_bytes_max &&
                a->excess_bytes_max == b->excess_bytes_max && a->samples == b->samples &&
                a->period == b->period && !(a->max_weight < b->max_weight) &&
                !(a->max_weight > b->max_weight) && a->flags == b->flags;
    for (int i = 0; i < HP_READS; i++) {
        same &= a->read[i] == b->read[i];
    }
    return same;
}

static void put_part(struct hp_bytes *out, const struct hp_size_part *part,
                     const struct hp_values *values, const struct hp_error *error,
                     enum hp_column column) {
    bool is_all = part->objects == values->of[hp_objects_of(column)] &&
                  part->bytes == values->of[hp_space_of(column)] &&
                  same_error(&part->error, error);
    hp_put_number(out, part->size);
    hp_put_number(out, (part->is_likely ? HP_PART_IS_LIKELY : 0u) |
                           (is_all ? HP_PART_IS_ALL : 0u));
    if (!is_all) {
        hp_put_signed(out, part->objects);
        hp_put_signed(out, part->bytes);
        hp_put_slots(out, &hp_error_slots, 1u << HP_SLOT_SUM, &part->error);
    }
}

static int by_size(const void *left, const void *right) {
    const struct hp_size_part *const *a = left, *const *b = right;
    return ((*a)->size > (*b)->size) - ((*a)->size < (*b)->size);
}

static void put_sizes(struct columns *columns, uint32_t stack,
                      const struct hp_error *error, enum hp_column column) {
    const struct hp_profile *profile = columns->w->profile;
    const struct hp_sizes *sizes = &profile->sizes[column];
    struct hp_bytes *out = &columns->of[HP_COLUMN_SIZES + column];
    const struct hp_size_part *parts[HP_SIZES_OF_STACK + 1];
    size_t count = 0;
    const struct hp_size_part *part = hp_sizes_of(sizes, stack);
    for (; part && count <= HP_SIZES_OF_STACK; part = hp_sizes_next(sizes, part)) {
        parts[count++] = part;
    }
    bool is_full = stack < sizes->stacks.count && sizes->stacks.at[stack].is_full;
    hp_put_number(out, count * 2 + is_full);
    if (count > 1) {
        qsort(parts, count, sizeof *parts, by_size);
    }
    for (size_t i = 0; i < count; i++) {
        put_part(out, parts[i], &profile->stacks.at[stack].values, error, column);
    }
}

// --- stacks -------------------------------------------------------------------------------

static void put_key(struct columns *columns, const struct hp_stack *stack, uint32_t set) {
    struct hp_bytes *out = &columns->of[HP_COLUMN_KEY];
    uint32_t shared = columns->last ? shared_frames(stack, columns->last) : 0;
    hp_put_number(out, set);
    hp_put_number(out, shared);
    hp_put_number(out, stack->depth - shared);
    uint32_t near = columns->last && shared < columns->last->depth
                        ? frame_from_root(columns->last, shared)
                        : 0;
    for (uint32_t i = shared; i < stack->depth; i++) {
        hp_put_signed(&columns->of[HP_COLUMN_FRAMES],
                      (hp_int128)frame_from_root(stack, i) - near);
        near = 0;
    }
    columns->last = stack;
}

static void put_stack(struct columns *columns, uint32_t number) {
    static const struct hp_error none;
    struct hp_partial_writer *w = columns->w;
    const struct hp_stack *stack = &w->profile->stacks.at[number];
    put_key(columns, stack, set_of(w, number));
    for (int i = 0; i < HP_METRICS; i++) {
        hp_put_signed(&columns->of[HP_COLUMN_VALUES + i], stack->values.of[i]);
    }
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        const struct hp_error *error = hp_profile_has_errors(w->profile, i)
                                           ? &w->profile->errors[i].at[number]
                                           : &none;
        for (size_t k = 0; k < HP_ERROR_SLOTS; k++) {
            hp_put_slot(&columns->of[HP_COLUMN_ERRORS + i * HP_ERROR_SLOTS + k],
                        &hp_error_slots.at[k], error);
        }
        put_sizes(columns, number, error, i);
    }
}

static size_t size_of(const struct columns *columns) {
    size_t size = 0;
    for (int i = 0; i < HP_STACK_COLUMNS; i++) {
        size += columns->of[i].count;
    }
    return size;
}

static void end_block(struct columns *columns) {
    struct hp_partial_writer *w = columns->w;
    for (int i = 0; i < HP_STACK_COLUMNS; i++) {
        hp_put_number(&w->row, columns->of[i].count);
        hp_vec_append(&w->row, columns->of[i].at, columns->of[i].count);
        columns->of[i].count = 0;
    }
    hp_put_row(w, HP_SECTION_STACKS);
    hp_block_cut(&w->blocks);
    columns->last = NULL;
}

void hp_put_stacks(struct hp_partial_writer *w) {
    struct columns columns = {.w = w};
    for (size_t i = 0; i < w->profile->stacks.count; i++) {
        put_stack(&columns, w->order[i]);
        if (size_of(&columns) >= HP_BLOCK_FULL) {
            end_block(&columns);
        }
    }
    if (columns.last) {
        end_block(&columns);
    }
    for (int i = 0; i < HP_STACK_COLUMNS; i++) {
        hp_vec_done(&columns.of[i]);
    }
}
