#include "view/paths.h"

#include "base/hash.h"
#include "base/index.h"

#include <string.h>

struct walk {
    HP_VEC(uint32_t) places;
    hp_string tags;
};

// "[empty stack]", "[truncated]" and "[other]" are calls behind those of all frames.
static void add_stand_ins(struct hp_paths *paths) {
    struct hp_naming *naming = &paths->naming;
    hp_vec_push(&naming->calls, (struct hp_call){.node = naming->empty});
    hp_vec_push(&naming->calls, (struct hp_call){.node = naming->truncated});
    hp_node_id other = {hp_strtab_add(&naming->names, hp_span_of("[other]")).n};
    hp_vec_push(&naming->calls, (struct hp_call){.node = other});
    paths->place_count = naming->calls.count;
}

static uint32_t place_of_empty(const struct hp_paths *paths) {
    return (uint32_t)paths->place_count - 3;
}

static uint32_t place_of_truncated(const struct hp_paths *paths) {
    return (uint32_t)paths->place_count - 2;
}

static uint32_t place_of_other(const struct hp_paths *paths) {
    return (uint32_t)paths->place_count - 1;
}

static void number_frames(struct hp_paths *paths, size_t frames) {
    const uint32_t *first_call = paths->naming.first_call.at;
    paths->frame_of = hp_alloc(paths->place_count * sizeof *paths->frame_of);
    for (uint32_t frame = 0; frame < frames; frame++) {
        for (uint32_t call = first_call[frame]; call < first_call[frame + 1]; call++) {
            paths->frame_of[call] = frame;
        }
    }
}

// The last place stands for all that are too many.
static void limit_depth(const struct hp_paths *paths, struct walk *walk, size_t most) {
    if (most > 0 && walk->places.count > most) {
        walk->places.count = most;
        walk->places.at[most - 1] = place_of_truncated(paths);
    }
}

static void find_places(const struct hp_paths *paths, const struct hp_stack *stack,
                        struct walk *walk) {
    const uint32_t *first_call = paths->naming.first_call.at;
    uint32_t frame = 0, call = 0;
    walk->places.count = 0;
    hp_vec_reserve(&walk->places, stack->depth + 2);
    if (!paths->naming.all_frames) {
        hp_naming_skip_allocator(&paths->naming, stack, &frame, &call);
        if (frame < stack->depth) { // some calls of this frame may have been skipped
            walk->places.at[walk->places.count++] = call;
            frame++;
        }
    }
    for (; frame < stack->depth; frame++) {
        walk->places.at[walk->places.count++] = first_call[stack->frames[frame].n];
    }
    if (stack->depth == 0) {
        walk->places.at[walk->places.count++] = place_of_empty(paths);
    } else if (walk->places.count == 0) { // all are the allocator's: the root is left
        uint32_t root = stack->frames[stack->depth - 1].n;
        walk->places.at[walk->places.count++] = first_call[root + 1] - 1;
    }
    if (hp_stack_is_truncated(stack)) {
        walk->places.at[walk->places.count++] = place_of_truncated(paths);
    }
}

// --- distinct ones ------------------------------------------------------------------------

static uint32_t hash_of(const struct hp_path *path) {
    return (uint32_t)hp_hash_bytes(path->places, path->depth * sizeof *path->places,
                                   hp_hash_key() ^ path->tags.n);
}

static void reindex(struct hp_index *index, const struct hp_paths *paths) {
    hp_index_widen(index, paths->paths.count);
    for (size_t i = 0; i < paths->paths.count; i++) {
        hp_index_place(index, hash_of(&paths->paths.at[i]), (uint32_t)i);
    }
}

static uint32_t find_or_add(struct hp_paths *paths, struct hp_index *index,
                            const struct walk *walk) {
    struct hp_path wanted = {walk->places.at, (uint32_t)walk->places.count, walk->tags};
    size_t size = wanted.depth * sizeof *wanted.places;
    if (hp_index_is_full(index, paths->paths.count)) {
        reindex(index, paths);
    }
    uint32_t hash = hash_of(&wanted);
    size_t mask = index->slot_count - 1;
    for (size_t i = hash & mask; index->slots[i]; i = (i + 1) & mask) {
        const struct hp_path *path = &paths->paths.at[index->slots[i] - 1];
        if (path->depth == wanted.depth && path->tags.n == wanted.tags.n &&
            memcmp(path->places, wanted.places, size) == 0) {
            return index->slots[i] - 1;
        }
    }
    uint32_t *copy = hp_arena_alloc(&paths->arena, size, alignof(uint32_t));
    memcpy(copy, wanted.places, size);
    wanted.places = copy;
    hp_index_place(index, hash, (uint32_t)paths->paths.count);
    hp_vec_push(&paths->paths, wanted);
    return (uint32_t)paths->paths.count - 1;
}

// --- order --------------------------------------------------------------------------------

static int by_place(const void *left, const void *right, void *context) {
    const struct hp_paths *paths = context;
    const struct hp_path *a = &paths->paths.at[*(const uint32_t *)left];
    const struct hp_path *b = &paths->paths.at[*(const uint32_t *)right];
    uint32_t common = a->depth < b->depth ? a->depth : b->depth;
    for (uint32_t i = 1; i <= common; i++) {
        uint32_t place_a = a->places[a->depth - i], place_b = b->places[b->depth - i];
        if (place_a != place_b) {
            return place_a < place_b ? -1 : 1;
        }
    }
    if (a->depth != b->depth) {
        return a->depth < b->depth ? -1 : 1;
    }
    return (a->tags.n > b->tags.n) - (a->tags.n < b->tags.n);
}

static void sort(struct hp_paths *paths) {
    size_t count = paths->paths.count;
    uint32_t *order = hp_alloc(count * sizeof *order);
    uint32_t *rank = hp_alloc(count * sizeof *rank);
    struct hp_path *sorted = hp_alloc(count * sizeof *sorted);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    qsort_r(order, count, sizeof *order, by_place, paths);
    for (uint32_t i = 0; i < count; i++) {
        rank[order[i]] = i;
        sorted[i] = paths->paths.at[order[i]];
    }
    for (size_t i = 0; i < paths->naming.profile->stacks.count; i++) {
        paths->path_of[i] = rank[paths->path_of[i]];
    }
    free(order);
    free(rank);
    free(paths->paths.at);
    paths->paths.at = sorted;
    paths->paths.capacity = count;
}

// --- at most so many ----------------------------------------------------------------------

struct ranked {
    hp_fixed value;
    uint32_t path;
};

static int by_value(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    if (a->value != b->value) {
        return a->value > b->value ? -1 : 1;
    }
    return (a->path > b->path) - (a->path < b->path);
}

static struct ranked *rank_paths(const struct hp_paths *paths, enum hp_metric metric) {
    const struct hp_profile *profile = paths->naming.profile;
    struct ranked *ranked = hp_alloc(paths->paths.count * sizeof *ranked);
    for (uint32_t i = 0; i < paths->paths.count; i++) {
        ranked[i].path = i;
    }
    for (size_t i = 0; i < profile->stacks.count; i++) {
        ranked[paths->path_of[i]].value += profile->stacks.at[i].values.of[metric];
    }
    qsort(ranked, paths->paths.count, sizeof *ranked, by_value);
    return ranked;
}

// "[other]", the last place, stands for the smallest.
static void limit_paths(struct hp_paths *paths, enum hp_metric metric, size_t most) {
    size_t count = paths->paths.count, kept = 0;
    if (most == 0 || count <= most) {
        return;
    }
    struct ranked *ranked = rank_paths(paths, metric);
    uint32_t *number = hp_alloc(count * sizeof *number); // of a path that stays, + 1
    for (size_t i = 0; i < most - 1; i++) {
        number[ranked[i].path] = 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (number[i]) {
            paths->paths.at[kept] = paths->paths.at[i];
            number[i] = (uint32_t)++kept;
        }
    }
    uint32_t *other = hp_arena_alloc(&paths->arena, sizeof *other, alignof(uint32_t));
    *other = place_of_other(paths);
    paths->paths.at[kept] = (struct hp_path){other, 1};
    paths->paths.count = kept + 1;
    for (size_t i = 0; i < paths->naming.profile->stacks.count; i++) {
        uint32_t *path = &paths->path_of[i];
        *path = number[*path] ? number[*path] - 1 : (uint32_t)kept;
    }
    free(ranked);
    free(number);
}

void hp_paths_init(struct hp_paths *paths, const struct hp_profile *profile,
                   const struct hp_report_options *options) {
    struct hp_report_options by_function = *options;
    by_function.by = HP_BY_FUNCTION;
    *paths = (struct hp_paths){0};
    hp_naming_init(&paths->naming, profile, &by_function);
    add_stand_ins(paths);
    number_frames(paths, profile->frames.count);
    paths->path_of = hp_alloc(profile->stacks.count * sizeof *paths->path_of);
    struct hp_index index = {0};
    struct walk walk = {0};
    for (size_t i = 0; i < profile->stacks.count; i++) {
        find_places(paths, &profile->stacks.at[i], &walk);
        limit_depth(paths, &walk, options->max_depth);
        walk.tags = hp_profile_tags(profile, i);
        paths->path_of[i] = find_or_add(paths, &index, &walk);
    }
    hp_index_drop(&index);
    hp_vec_done(&walk.places);
    sort(paths);
    limit_paths(paths, options->metric, options->max_samples);
}

void hp_paths_done(struct hp_paths *paths) {
    hp_naming_done(&paths->naming);
    hp_arena_done(&paths->arena);
    hp_vec_done(&paths->paths);
    free(paths->path_of);
    free(paths->frame_of);
}

struct hp_place hp_paths_place(const struct hp_paths *paths, uint32_t place) {
    const struct hp_naming *naming = &paths->naming;
    const struct hp_call *calls = &naming->calls.at[place];
    if (place >= place_of_empty(paths)) {
        return (struct hp_place){.calls = calls, .count = 1};
    }
    uint32_t number = paths->frame_of[place];
    const struct hp_frame *frame = &naming->profile->frames.at[number];
    uint32_t count = naming->first_call.at[number + 1] - place;
    const struct hp_line *end =
        frame->lines > 0 ? naming->profile->lines.at + frame->first_line + frame->lines
                         : NULL;
    return (struct hp_place){frame, calls, end ? end - count : NULL, count};
}
