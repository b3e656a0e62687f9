#include "view/paths.h"

#include "base/hash.h"
#include "base/index.h"
#include "view/walk.h"

#include <string.h>

static const uint32_t no_frame = UINT32_MAX;

struct places {
    HP_VEC(uint32_t) at; // of one stack, leaf first
    hp_string tags;
};

// "[other]" is a call behind all of the naming's.
static void add_other(struct hp_paths *paths) {
    hp_string name = hp_strtab_add(&paths->naming.names, hp_span_of("[other]"));
    hp_vec_push(&paths->calls, ((struct hp_call){.node = {name.n}}));
    hp_vec_push(&paths->lines, ((struct hp_line){0}));
    hp_vec_push(&paths->frame_of, no_frame);
}

static uint32_t place_of_other(const struct hp_paths *paths) {
    return (uint32_t)paths->place_count - 1;
}

static uint32_t place_of_truncated(const struct hp_paths *paths) {
    return paths->number_of[paths->naming.truncated_call];
}

// The last place stands for all that are too many.
static void limit_depth(const struct hp_paths *paths, struct places *places,
                        size_t most) {
    if (most > 0 && places->at.count > most) {
        places->at.count = most;
        places->at.at[most - 1] = place_of_truncated(paths);
    }
}

// The calls that filters may show, with their lines.
static void number_calls(struct hp_paths *paths) {
    const struct hp_naming *naming = &paths->naming;
    const struct hp_profile *profile = naming->profile;
    size_t count = naming->calls.count;
    uint32_t frame = 0;
    paths->number_of = hp_alloc(count * sizeof *paths->number_of);
    for (uint32_t i = 0; i < count; i++) {
        const struct hp_call *call = &naming->calls.at[i];
        bool is_stand_in = i == naming->truncated_call || i == naming->empty_call;
        while (!is_stand_in && naming->first_call.at[frame + 1] <= i) {
            frame++;
        }
        paths->number_of[i] = (uint32_t)paths->calls.count;
        if (is_stand_in || !call->is_hidden) {
            struct hp_line line = {0};
            hp_vec_push(&paths->calls, *call);
            hp_vec_push(&paths->lines,
                        call->line > 0 ? profile->lines.at[call->line - 1] : line);
            hp_vec_push(&paths->frame_of, is_stand_in ? no_frame : frame);
        }
    }
    add_other(paths);
    paths->place_count = paths->calls.count;
}

// A new place is a call of another frame, or one that is not further out in the same.
static bool find_places(const struct hp_paths *paths, const struct hp_stack *stack,
                        struct hp_walk *walk, struct places *places) {
    uint32_t last = 0;
    places->at.count = 0;
    if (!hp_walk_calls(&paths->naming, stack, walk)) {
        return false;
    }
    for (size_t i = 0; i < walk->calls.count; i++) {
        uint32_t number = paths->number_of[walk->calls.at[i]];
        bool is_same_frame = paths->frame_of.at[number] == paths->frame_of.at[last];
        if (i == 0 || !is_same_frame || number <= last) {
            hp_vec_push(&places->at, number);
        }
        last = number;
    }
    if (walk->truncated) {
        hp_vec_push(&places->at, place_of_truncated(paths));
    }
    return true;
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
                            const struct places *found) {
    struct hp_path wanted = {found->at.at, (uint32_t)found->at.count, found->tags};
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
        uint32_t path = paths->path_of[i];
        paths->path_of[i] = path == HP_NO_PATH ? HP_NO_PATH : rank[path];
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
        if (paths->path_of[i] != HP_NO_PATH) {
            ranked[paths->path_of[i]].value += profile->stacks.at[i].values.of[metric];
        }
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
        if (*path != HP_NO_PATH) {
            *path = number[*path] ? number[*path] - 1 : (uint32_t)kept;
        }
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
    number_calls(paths);
    paths->path_of = hp_alloc(profile->stacks.count * sizeof *paths->path_of);
    struct hp_index index = {0};
    struct hp_walk walk = {0};
    struct places places = {0};
    for (size_t i = 0; i < profile->stacks.count; i++) {
        bool is_left = find_places(paths, &profile->stacks.at[i], &walk, &places);
        limit_depth(paths, &places, options->max_depth);
        places.tags = hp_profile_tags(profile, i);
        paths->path_of[i] = is_left ? find_or_add(paths, &index, &places) : HP_NO_PATH;
    }
    hp_index_drop(&index);
    hp_walk_done(&walk);
    hp_vec_done(&places.at);
    sort(paths);
    limit_paths(paths, options->metric, options->max_samples);
}

void hp_paths_done(struct hp_paths *paths) {
    hp_naming_done(&paths->naming);
    hp_arena_done(&paths->arena);
    hp_vec_done(&paths->paths);
    hp_vec_done(&paths->calls);
    hp_vec_done(&paths->lines);
    hp_vec_done(&paths->frame_of);
    free(paths->path_of);
    free(paths->number_of);
}

struct hp_place hp_paths_place(const struct hp_paths *paths, uint32_t place) {
    uint32_t frame = paths->frame_of.at[place], count = 1;
    const struct hp_call *calls = &paths->calls.at[place];
    if (frame == no_frame) {
        return (struct hp_place){.calls = calls, .count = 1};
    }
    while (paths->frame_of.at[place + count] == frame) { // stand-ins end it
        count++;
    }
    const struct hp_line *lines = calls->line > 0 ? &paths->lines.at[place] : NULL;
    return (struct hp_place){&paths->naming.profile->frames.at[frame], calls, lines,
                             count};
}
