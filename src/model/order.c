// The canonical order of a profile: the same for the same inputs, in whatever order and by
// however many threads they were merged.
#include "model/profile.h"

#include <string.h>

// qsort has no argument for context, and qsort_r's is the profile.
static int compare_modules(const void *left, const void *right, void *context) {
    const struct hp_profile *profile = context;
    const struct hp_module *a = &profile->modules.at[*(const uint32_t *)left];
    const struct hp_module *b = &profile->modules.at[*(const uint32_t *)right];
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    int order = hp_span_compare(hp_strtab_span(&profile->strings, a->path),
                                hp_strtab_span(&profile->strings, b->path));
    if (order == 0) {
        order = (int)a->deleted - (int)b->deleted;
    }
    if (order == 0) {
        order = (a->span > b->span) - (a->span < b->span);
    }
    return order ? order
                 : hp_extents_compare(profile->extents.at + a->first_extent, a->extents,
                                      profile->extents.at + b->first_extent, b->extents);
}

static int compare_frames(const void *left, const void *right, void *context) {
    const struct hp_profile *profile = context;
    const struct hp_frame *a = &profile->frames.at[*(const uint32_t *)left];
    const struct hp_frame *b = &profile->frames.at[*(const uint32_t *)right];
    if (a->module.n != b->module.n) {
        return a->module.n < b->module.n ? -1 : 1;
    }
    return (a->offset > b->offset) - (a->offset < b->offset);
}

// Where each item comes, to be freed.
static uint32_t *ranks(struct hp_profile *profile, size_t count,
                       int compare(const void *, const void *, void *)) {
    uint32_t *order = hp_alloc(count * sizeof *order); // the item that comes i-th
    uint32_t *rank = hp_alloc(count * sizeof *rank);
    for (size_t i = 0; i < count; i++) {
        order[i] = (uint32_t)i;
    }
    qsort_r(order, count, sizeof *order, compare, profile);
    for (size_t i = 0; i < count; i++) {
        rank[order[i]] = (uint32_t)i;
    }
    free(order);
    return rank;
}

static void sort_modules(struct hp_profile *profile) {
    size_t count = profile->modules.count;
    uint32_t *rank = ranks(profile, count, compare_modules);
    struct hp_module *modules = hp_alloc(count * sizeof *modules);
    for (size_t i = 0; i < count; i++) {
        modules[rank[i]] = profile->modules.at[i];
    }
    memcpy(profile->modules.at, modules, count * sizeof *modules);
    struct hp_frame *frame;
    hp_vec_each (frame, &profile->frames) {
        frame->module.n = rank[frame->module.n];
    }
    free(modules);
    free(rank);
}

static bool is_identity(const uint32_t *rank, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (rank[i] != i) {
            return false;
        }
    }
    return true;
}

static void renumber(hp_frame_id *ids, size_t count, const uint32_t *rank) {
    for (size_t i = 0; i < count; i++) {
        ids[i].n = rank[ids[i].n];
    }
}

static void sort_frames(struct hp_profile *profile, hp_frame_id *ids, size_t id_count) {
    size_t count = profile->frames.count;
    uint32_t *rank = ranks(profile, count, compare_frames);
    if (!is_identity(rank, count)) {
        struct hp_frame *frames = hp_alloc(count * sizeof *frames);
        for (size_t i = 0; i < count; i++) {
            frames[rank[i]] = profile->frames.at[i];
        }
        memcpy(profile->frames.at, frames, count * sizeof *frames);
        free(frames);
        const struct hp_stack *stack;
        hp_vec_each (stack, &profile->stacks) {
            renumber(stack->frames, stack->depth, rank);
        }
        renumber(ids, id_count, rank);
        hp_index_drop(&profile->stack_index);
    }
    free(rank);
}

void hp_profile_sort(struct hp_profile *profile, hp_frame_id *ids, size_t id_count) {
    sort_modules(profile);
    if (profile->frames.count > 0) {
        sort_frames(profile, ids, id_count);
    }
    if (profile->tags.count > 0) {
        hp_tags_sort(&profile->tag_sets, &profile->strings, profile->tags.at,
                     profile->tags.count);
        hp_index_drop(&profile->stack_index);
    }
    hp_index_drop(&profile->module_index);
    hp_index_drop(&profile->frame_index);
}
