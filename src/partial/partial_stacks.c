// Stacks are ordered by their sets of labels, then by their frames from the root on, so
// that neighbours have most in common. A stack comes before all stacks that begin with
// its frames.
#include "partial/partial_writer.h"
#include "partial/shards.h"
#include "partial/stack_codec.h"

#include <stdlib.h>
#include <string.h>

// --- order -----------------------------------------------------------------------------

// Returns the number in the file of frame `i` of a stack, counted from the root.
static uint32_t frame_from_root(const struct hp_partial_writer *w,
                                const struct hp_stack *stack, uint32_t i) {
    uint32_t frame = stack->frames[stack->depth - 1 - i].n;
    return w->frame_rank ? w->frame_rank[frame] : frame;
}

// Returns the number in the file of the set of labels of a stack.
static uint32_t set_of(const struct hp_partial_writer *w, uint32_t stack) {
    return w->set_rank[hp_profile_tags(w->profile, stack).n];
}

// Returns how many frames two stacks share, from the root on.
static uint32_t shared_frames(const struct hp_stack *a, const struct hp_stack *b) {
    uint32_t i = 0;
    while (i < a->depth && i < b->depth &&
           a->frames[a->depth - 1 - i].n == b->frames[b->depth - 1 - i].n) {
        i++;
    }
    return i;
}

// Order stacks by their sets of labels, then by their frames from the root on.
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
    return frame_from_root(w, a, shared) < frame_from_root(w, b, shared) ? -1 : 1;
}

// Set w->order, not yet sorted, and w->stacks to the stacks that are in the shards to
// write.
static void take_sharded(struct hp_partial_writer *w) {
    struct hp_sharder sharder;
    HP_VEC(uint32_t) path = {0};
    w->stacks = 0;
    hp_sharder_init(&sharder, w->profile, w->shards);
    for (uint32_t i = 0; i < w->profile->stacks.count; i++) {
        const struct hp_stack *stack = &w->profile->stacks.at[i];
        path.count = 0;
        for (uint32_t k = stack->depth; k-- > 0;) {
            hp_vec_push(&path, stack->frames[k].n);
        }
        if (hp_sharder_has(&sharder, path.at, path.count)) {
            w->order[w->stacks++] = i;
        }
    }
    hp_sharder_done(&sharder);
    hp_vec_done(&path);
}

void hp_order_stacks(struct hp_partial_writer *w) {
    size_t count = w->profile->stacks.count;
    w->order = hp_alloc((count + 1) * sizeof *w->order);
    w->rank = hp_alloc((count + 1) * sizeof *w->rank);
    for (size_t i = 0; i < count; i++) {
        w->rank[i] = HP_NO_RANK;
        w->order[i] = (uint32_t)i;
    }
    w->stacks = count;
    if (w->shards.count > 0) {
        take_sharded(w);
    }
    qsort_r(w->order, w->stacks, sizeof *w->order, by_key, w);
    for (size_t i = 0; i < w->stacks; i++) {
        w->rank[w->order[i]] = (uint32_t)i;
    }
}

// --- stacks ----------------------------------------------------------------------------

// Order the objects of a stack, which are grouped by size, by that size.
static int by_size(const void *left, const void *right) {
    const struct hp_size_part *a = left, *b = right;
    return (a->size > b->size) - (a->size < b->size);
}

void hp_take_parts(struct hp_stack_row *row, const struct hp_sizes *sizes, uint32_t stack,
                   enum hp_column column) {
    const struct hp_size_part *part = hp_sizes_of(sizes, stack);
    row->parts[column].count = 0;
    for (; part; part = hp_sizes_next(sizes, part)) {
        hp_vec_push(&row->parts[column], *part);
    }
    hp_vec_sort(&row->parts[column], by_size);
    row->is_full[column] = stack < sizes->stacks.count && sizes->stacks.at[stack].is_full;
}

void hp_take_stack(struct hp_stack_row *row, struct hp_partial_writer *w, size_t i) {
    uint32_t number = w->order[i];
    const struct hp_stack *stack = &w->profile->stacks.at[number];
    hp_stack_row_clear(row);
    row->set = set_of(w, number);
    for (uint32_t k = 0; k < stack->depth; k++) {
        hp_vec_push(&row->path, frame_from_root(w, stack, k));
    }
    for (enum hp_column k = 0; k < HP_COLUMNS; k++) {
        row->whole[k].objects = stack->values.of[hp_objects_of(k)];
        row->whole[k].bytes = stack->values.of[hp_space_of(k)];
        if (hp_profile_has_errors(w->profile, k)) {
            row->whole[k].error = *hp_stack_error(&w->profile->errors.stacks[k], number);
        }
        hp_take_parts(row, &w->profile->sizes[k], number, k);
    }
    hp_take_replicates(w, (uint32_t)i, row);
}

// Fill a table with the module of each frame. If w->frame_rank is set, which is so for a
// run only, modules are numbered in the order of their first frames; otherwise as in the
// profile.
void hp_frames_take(struct hp_frame_table *table, const struct hp_partial_writer *w) {
    size_t count = w->profile->frames.count;
    uint32_t *place = hp_alloc(count * sizeof *place), module = 0;
    for (uint32_t i = 0; i < count; i++) {
        place[w->frame_rank ? w->frame_rank[i] : i] = i;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t own = w->profile->frames.at[place[i]].module.n;
        module += i > 0 && own != w->profile->frames.at[place[i - 1]].module.n;
        hp_frame_table_add(table, w->frame_rank ? module : own);
    }
    free(place);
}

void hp_put_stack(struct hp_partial_writer *w, struct hp_stack_codec *codec,
                  const struct hp_stack_row *row) {
    hp_stack_encode(codec, row);
    if (hp_stack_codec_size(codec) >= HP_BLOCK_FULL) {
        hp_stack_encode_end(codec, &w->blocks);
    }
}

void hp_put_stacks(struct hp_partial_writer *w) {
    struct hp_frame_table frames = {.module = {0}};
    struct hp_stack_codec codec = {.frames = &frames, .has_groups = w->has_between};
    struct hp_stack_row row = {.set = 0};
    hp_frames_take(&frames, w);
    for (size_t i = 0; i < w->stacks; i++) {
        hp_take_stack(&row, w, i);
        hp_put_stack(w, &codec, &row);
    }
    hp_stack_encode_end(&codec, &w->blocks);
    hp_stack_codec_done(&codec);
    hp_stack_row_done(&row);
    hp_frame_table_done(&frames);
}
