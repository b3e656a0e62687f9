// Merges two profiles, each with stacks in memory and in runs.
#include "model/profile.h"

#include <stdlib.h>

static hp_string import_string(struct hp_profile *profile, const struct hp_profile *other,
                               hp_string string) {
    return hp_strtab_add(&profile->strings, hp_strtab_span(&other->strings, string));
}

hp_module_id hp_profile_import_module(struct hp_profile *profile,
                                      const struct hp_profile *other, hp_module_id id) {
    struct hp_module module = other->modules.at[id.n];
    module.path = import_string(profile, other, module.path);
    module.recorded_build_id = module.build_id =
        import_string(profile, other, module.recorded_build_id);
    module.builds = import_string(profile, other, module.builds);
    module.stamp = import_string(profile, other, module.stamp);
    module.dumps = 0; // the caller adds them
    const struct hp_extent *extents =
        module.extents > 0 ? other->extents.at + module.first_extent : NULL;
    return hp_profile_module(profile, &module, extents);
}

// Import all modules of `other`, and add their numbers of dumps.  Returns their numbers
// in `profile`; the caller frees the result.
static hp_module_id *map_modules(struct hp_profile *profile,
                                 const struct hp_profile *other) {
    hp_module_id *modules = hp_alloc(other->modules.count * sizeof *modules);
    for (uint32_t i = 0; i < other->modules.count; i++) {
        modules[i] = hp_profile_import_module(profile, other, (hp_module_id){i});
        profile->modules.at[modules[i].n].dumps += other->modules.at[i].dumps;
    }
    return modules;
}

// Import all frames of `other`.  Returns their numbers in `profile`; the caller frees the
// result.
static hp_frame_id *map_frames(struct hp_profile *profile,
                               const struct hp_profile *other) {
    hp_module_id *modules = map_modules(profile, other);
    hp_frame_id *map = hp_alloc(other->frames.count * sizeof *map);
    for (size_t i = 0; i < other->frames.count; i++) {
        const struct hp_frame *frame = &other->frames.at[i];
        map[i] = hp_profile_frame(profile, modules[frame->module.n], frame->address);
        profile->frames.at[map[i].n].is_return_leaf |= frame->is_return_leaf;
    }
    free(modules);
    return map;
}

// Add the stacks of `other` that are in memory, with errors, sizes and ages.  Sets
// `numbers` to their numbers in `profile`; `frames` has those of the frames of `other`.
static void absorb_stacks(struct hp_profile *profile, const struct hp_profile *other,
                          const hp_frame_id *frames, uint32_t *numbers) {
    HP_VEC(hp_frame_id) mapped = {0};
    struct hp_tag_import tags = {.from_sets = &other->tags.sets,
                                 .from_strings = &other->strings,
                                 .sets = &profile->tags.sets,
                                 .strings = &profile->strings};
    for (size_t s = 0; s < other->stacks.count; s++) {
        const struct hp_stack *stack = &other->stacks.at[s];
        const struct hp_error *errors[HP_COLUMNS];
        mapped.count = 0;
        hp_vec_reserve(&mapped, stack->depth);
        for (uint32_t i = 0; i < stack->depth; i++) {
            mapped.at[i] = frames[stack->frames[i].n];
        }
        for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
            bool has = hp_profile_has_errors(other, i);
            errors[i] = has ? hp_stack_error(&other->errors.stacks[i], s) : NULL;
        }
        struct hp_sample sample = {mapped.at, stack->depth,
                                   hp_tags_import(&tags, hp_profile_tags(other, s))};
        numbers[s] = hp_profile_add(profile, &sample, &stack->values, errors);
        hp_profile_add_sizes(profile, numbers[s], other->sizes, (uint32_t)s);
        hp_profile_add_ages(profile, numbers[s], other->ages, (uint32_t)s);
    }
    hp_tag_import_done(&tags);
    hp_vec_done(&mapped);
}

// --- the first profile -----------------------------------------------------------------

// Whether the profile has no frames and stacks yet, so that it can take over those of
// `other` with their numbers.  Sets of labels always get new numbers, so the stacks of
// `other` must have no labels.
static bool takes_all(const struct hp_profile *profile, const struct hp_profile *other) {
    bool takes = profile->frames.count == 0 && profile->stacks.count == 0 &&
                 profile->runs.all.count == 0 && other->tags.of_stacks.count == 0 &&
                 !profile->memory.arena.chunks;
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        takes &= hp_profile_has_errors(profile, i) == hp_profile_has_errors(other, i);
    }
    return takes;
}

#define EXCHANGE(a, b)                \
    do {                              \
        __typeof__(*(a)) kept = *(a); \
        *(a) = *(b);                  \
        *(b) = kept;                  \
    } while (0)

// Whether module i of the other profile has number i in this one too, for all `count`
// modules.
static bool have_same_numbers(const hp_module_id *modules, size_t count) {
    bool are = true;
    for (uint32_t i = 0; i < count; i++) {
        are &= modules[i].n == i;
    }
    return are;
}

// Take over the frames of `other`, with new module numbers; the profile must have none.
// Returns the number of each frame, which is unchanged; the caller frees the result.
static hp_frame_id *take_frames(struct hp_profile *profile, struct hp_profile *other) {
    hp_module_id *modules = map_modules(profile, other);
    size_t count = other->frames.count;
    hp_frame_id *map = hp_alloc(count * sizeof *map);
    bool are_alike = have_same_numbers(modules, other->modules.count);
    for (uint32_t i = 0; i < count; i++) {
        map[i] = (hp_frame_id){i};
    }
    if (!are_alike) {
        hp_index_drop(&other->index.frames); // it is rebuilt when it is needed
    }
    for (size_t i = 0; i < count && !are_alike; i++) {
        struct hp_frame *frame = &other->frames.at[i];
        frame->module = modules[frame->module.n];
    }
    // Nothing refers to frames of the profile yet.
    EXCHANGE(&profile->frames, &other->frames);
    EXCHANGE(&profile->index.frames, &other->index.frames);
    free(modules);
    return map;
}

// Take over the stacks of `other` that are in memory; the profile must have none.  Sets
// `numbers` to their numbers, which are unchanged.
static void take_stacks(struct hp_profile *profile, struct hp_profile *other,
                        uint32_t *numbers) {
    for (uint32_t i = 0; i < other->stacks.count; i++) {
        numbers[i] = i;
    }
    EXCHANGE(&profile->memory.arena, &other->memory.arena);
    // The blocks contain the frames of stacks.
    hp_vec_append(&profile->memory.blocks, other->memory.blocks.at,
                  other->memory.blocks.count);
    other->memory.blocks.count = 0;
    EXCHANGE(&profile->stacks, &other->stacks);
    EXCHANGE(&profile->index.stacks, &other->index.stacks);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        EXCHANGE(&profile->errors.stacks[i], &other->errors.stacks[i]);
        EXCHANGE(&profile->sizes[i], &other->sizes[i]);
        EXCHANGE(&profile->ages[i], &other->ages[i]);
        profile->overflow |= profile->sizes[i].overflow | profile->ages[i].overflow;
    }
}

// --- further profiles ------------------------------------------------------------------

// Take over the runs of `other`.  Their bytes are unchanged; only the numbers of frames
// and labels are mapped.
static void absorb_runs(struct hp_profile *profile, struct hp_profile *other,
                        const hp_frame_id *frames, size_t frame_count) {
    struct hp_stack_runs *runs = &profile->runs, *from = &other->runs;
    uint32_t sources = (uint32_t)runs->sources.count;
    struct hp_tag_import tags = {.from_sets = &other->tags.sets,
                                 .from_strings = &other->strings,
                                 .sets = &profile->tags.sets,
                                 .strings = &profile->strings};
    hp_stack_runs_settle(from, &frames->n, frame_count);
    struct hp_run_source *source;
    hp_vec_each (source, &from->sources) {
        source->first_frame += runs->frames.count;
    }
    hp_vec_append(&runs->sources, from->sources.at, from->sources.count);
    hp_vec_append(&runs->frames, from->frames.at, from->frames.count);
    struct hp_stack_run *run;
    hp_vec_each (run, &from->all) {
        hp_string *set;
        hp_vec_each (set, &run->sets) {
            *set = hp_tags_import(&tags, *set);
        }
        run->source += sources;
        run->first += runs->stacks;
    }
    hp_vec_append(&runs->all, from->all.at, from->all.count);
    runs->stacks += from->stacks;
    runs->overflow |= from->overflow || !hp_values_add(&runs->total, &from->total);
    profile->overflow |= runs->overflow || runs->stacks >= HP_RUN_STACKS;
    from->all.count = from->sources.count = 0;
    hp_tag_import_done(&tags);
}

void hp_profile_absorb(struct hp_profile *profile, struct hp_profile *other) {
    if (other->inputs.have_alloc) {
        hp_profile_set_alloc(profile);
    }
    size_t count = other->stacks.count, frame_count = other->frames.count;
    uint32_t *stacks = hp_alloc(count * sizeof *stacks);
    bool is_first = takes_all(profile, other);
    hp_frame_id *frames =
        is_first ? take_frames(profile, other) : map_frames(profile, other);
    if (is_first) {
        take_stacks(profile, other, stacks);
    } else {
        absorb_stacks(profile, other, frames, stacks);
    }
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_error_add(&profile->errors.totals[i], &other->errors.totals[i]);
    }
    hp_history_absorb(&profile->history, &other->history, stacks, count,
                      profile->runs.stacks);
    hp_vec_append(&profile->variation.group_of, other->variation.group_of.at,
                  other->variation.group_of.count);
    struct hp_sample_import import = {&profile->strings, &other->strings, stacks, count};
    hp_sample_types_absorb(&profile->types, &other->types, &import);
    hp_annotations_import(&profile->inputs.annotations, &profile->strings,
                          &other->inputs.annotations, &other->strings);
    for (int i = 0; i < 2; i++) {
        hp_between_add(&profile->variation.between[i], &other->variation.between[i],
                       is_first ? NULL : stacks);
        profile->overflow |= profile->variation.between[i].sums.overflow;
    }
    absorb_runs(profile, other, frames, frame_count);
    profile->inputs.tagged_addresses += other->inputs.tagged_addresses;
    profile->inputs.unloaded_addresses += other->inputs.unloaded_addresses;
    profile->inputs.generated_addresses += other->inputs.generated_addresses;
    profile->overflow |= other->overflow;
    free(frames);
    free(stacks);
    hp_profile_done(other);
}
