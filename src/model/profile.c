#include "model/profile.h"

#include "base/hash.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hp_profile_init(struct hp_profile *profile) {
    *profile = (struct hp_profile){.keeps.errors = {true, true}};
    hp_vec_push(&profile->modules, ((struct hp_module){.kind = HP_MODULE_NONE}));
}

static void drop_stacks(struct hp_profile *profile) {
    hp_arena_done(&profile->arena);
    hp_vec_done(&profile->modules);
    hp_vec_done(&profile->extents);
    hp_vec_done(&profile->frames);
    hp_vec_done(&profile->lines);
    hp_vec_done(&profile->sources);
    hp_vec_done(&profile->stacks);
    hp_strtab_done(&profile->tag_sets);
    hp_vec_done(&profile->tags);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_vec_done(&profile->errors[i]);
        hp_sizes_done(&profile->sizes[i]);
    }
    void **block;
    hp_vec_each (block, &profile->blocks) {
        free(*block);
    }
    hp_vec_done(&profile->blocks);
    hp_history_done(&profile->history);
    hp_between_done(&profile->between[0]);
    hp_between_done(&profile->between[1]);
    hp_vec_done(&profile->named);
    hp_vec_done(&profile->group_of);
    hp_sample_types_done(&profile->types);
    hp_annotations_done(&profile->annotations);
    hp_index_drop(&profile->module_index);
    hp_index_drop(&profile->frame_index);
    hp_index_drop(&profile->stack_index);
}

void hp_profile_forget_stacks(struct hp_profile *profile) {
    drop_stacks(profile);
    profile->arena = (struct hp_arena){NULL};
    profile->history = (struct hp_history){.is_kept = profile->keeps.history};
    profile->types = (struct hp_sample_types){.overflow = false};
    profile->annotations = (struct hp_annotations){.time = 0};
    memset(profile->total_errors, 0, sizeof profile->total_errors);
    profile->has_alloc = profile->overflow = false;
    hp_vec_push(&profile->modules, ((struct hp_module){.kind = HP_MODULE_NONE}));
}

void hp_profile_done(struct hp_profile *profile) {
    drop_stacks(profile);
    hp_strtab_done(&profile->strings);
    struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        hp_process_keys_free(input->keys);
    }
    hp_vec_done(&profile->inputs);
    hp_vec_done(&profile->known);
    hp_processes_done(&profile->processes);
    hp_strtab_done(&profile->programs);
    hp_vec_done(&profile->labels);
    hp_vec_done(&profile->warnings);
    hp_vec_done(&profile->minor_warnings);
    hp_vec_done(&profile->moments);
    for (int i = 0; i < HP_SIDES; i++) {
        hp_vec_done(&profile->summary[i].periods);
    }
    *profile = (struct hp_profile){0};
}

void hp_profile_summarize(struct hp_profile *profile) {
    for (enum hp_input_side side = 0; side < HP_SIDES; side++) {
        hp_vec_done(&profile->summary[side].periods);
        hp_input_summary_init(&profile->summary[side], profile->inputs.at,
                              profile->inputs.count, side);
    }
}

size_t *hp_profile_frame_counts(const struct hp_profile *profile) {
    size_t *counts = hp_alloc(profile->modules.count * sizeof *counts);
    const struct hp_frame *frame;
    hp_vec_each (frame, &profile->frames) {
        counts[frame->module.n]++;
    }
    return counts;
}

const char *hp_profile_text(const struct hp_profile *profile, hp_string string) {
    return hp_strtab_text(&profile->strings, string);
}

HP_PRINTF(2, 0)
static hp_string print(struct hp_profile *profile, const char *format, va_list args);

static hp_string print(struct hp_profile *profile, const char *format, va_list args) {
    char *text = hp_vprinted(format, args);
    hp_string string = hp_strtab_add(&profile->strings, hp_span_of(text));
    free(text);
    return string;
}

void hp_profile_warn(struct hp_profile *profile, const char *format, ...) {
    va_list args;
    va_start(args, format);
    hp_vec_push(&profile->warnings, print(profile, format, args));
    va_end(args);
}

void hp_profile_warn_as(struct hp_profile *profile, bool is_minor, const char *format,
                        ...) {
    va_list args;
    va_start(args, format);
    hp_string text = print(profile, format, args);
    va_end(args);
    if (is_minor) {
        hp_vec_push(&profile->minor_warnings, text);
    } else {
        hp_vec_push(&profile->warnings, text);
    }
}

// --- modules --------------------------------------------------------------------

static const struct hp_extent *extents_of(const struct hp_profile *profile,
                                          const struct hp_module *module) {
    return module->extents > 0 ? profile->extents.at + module->first_extent : NULL;
}

static bool same_module(const struct hp_profile *profile, const struct hp_module *known,
                        const struct hp_module *module, const struct hp_extent *extents) {
    return known->kind == module->kind && known->path.n == module->path.n &&
           known->deleted == module->deleted && known->told_id.n == module->told_id.n &&
           known->span == module->span &&
           hp_extents_compare(extents_of(profile, known), known->extents, extents,
                              module->extents) == 0;
}

static void note_files(struct hp_module *known, const struct hp_module *module) {
    if (known->lowest_file.inode == 0) {
        known->lowest_file = module->lowest_file;
        known->highest_file = module->highest_file;
    } else if (module->lowest_file.inode != 0) {
        if (hp_file_id_compare(module->lowest_file, known->lowest_file) < 0) {
            known->lowest_file = module->lowest_file;
        }
        if (hp_file_id_compare(module->highest_file, known->highest_file) > 0) {
            known->highest_file = module->highest_file;
        }
    }
}

// Whether text was moved to huge pages may differ between processes of one build, and what is
// resolved of it between inputs.
static void note_differences(struct hp_profile *profile, struct hp_module *known,
                             const struct hp_module *module,
                             const struct hp_extent *extents) {
    known->resolved &= module->resolved;
    note_files(known, module);
    for (uint32_t i = 0; i < known->extents; i++) {
        profile->extents.at[known->first_extent + i].has_hole |= extents[i].has_hole;
    }
}

static uint32_t module_hash(const struct hp_module *module,
                            const struct hp_extent *extents) {
    uint64_t hash = hp_hash_mix(module->span ^ hp_hash_key(),
                                module->path.n ^ (uint64_t)module->told_id.n << 32 ^
                                    (uint64_t)0x9e3779b97f4a7c15);
    for (uint32_t i = 0; i < module->extents; i++) {
        hash = hp_hash_mix(extents[i].offset ^ hash,
                           extents[i].size ^ (uint64_t)0xe7037ed1a0b428db);
    }
    return (uint32_t)hash;
}

static void index_modules(struct hp_profile *profile) {
    for (size_t i = 0; i < profile->modules.count; i++) {
        const struct hp_module *module = &profile->modules.at[i];
        hp_index_put(&profile->module_index,
                     module_hash(module, extents_of(profile, module)), i);
    }
}

hp_module_id hp_profile_module(struct hp_profile *profile, const struct hp_module *module,
                               const struct hp_extent *extents) {
    struct hp_index *index = &profile->module_index;
    if (index->hashes.count == 0) {
        index_modules(profile);
    }
    uint32_t hash = module_hash(module, extents), found;
    for (size_t at = hash; hp_index_next(index, hash, &at, &found);) {
        struct hp_module *known = &profile->modules.at[found];
        if (same_module(profile, known, module, extents)) {
            note_differences(profile, known, module, extents);
            return (hp_module_id){found};
        }
    }
    hp_index_put(index, hash, profile->modules.count);
    struct hp_module *added = hp_vec_push(&profile->modules, *module);
    added->first_extent = (uint32_t)profile->extents.count;
    for (uint32_t i = 0; i < module->extents; i++) {
        hp_vec_push(&profile->extents, extents[i]);
    }
    return (hp_module_id){(uint32_t)profile->modules.count - 1};
}

// --- frames ---------------------------------------------------------------------

static uint32_t frame_hash(hp_module_id module, uint64_t offset) {
    return (uint32_t)hp_hash_mix(offset ^ hp_hash_key(),
                                 module.n ^ (uint64_t)0x9e3779b97f4a7c15);
}

static void index_frames(struct hp_profile *profile) {
    for (size_t i = 0; i < profile->frames.count; i++) {
        const struct hp_frame *frame = &profile->frames.at[i];
        hp_index_put(&profile->frame_index, frame_hash(frame->module, frame->offset), i);
    }
}

hp_frame_id hp_profile_frame(struct hp_profile *profile, hp_module_id module,
                             uint64_t offset) {
    struct hp_index *index = &profile->frame_index;
    if (index->hashes.count == 0) {
        index_frames(profile);
    }
    uint32_t hash = frame_hash(module, offset), found;
    for (size_t at = hash; hp_index_next(index, hash, &at, &found);) {
        const struct hp_frame *frame = &profile->frames.at[found];
        if (frame->offset == offset && frame->module.n == module.n) {
            return (hp_frame_id){found};
        }
    }
    hp_index_put(index, hash, profile->frames.count);
    hp_vec_push(&profile->frames,
                ((struct hp_frame){.module = module, .offset = offset}));
    return (hp_frame_id){(uint32_t)profile->frames.count - 1};
}

// --- stacks ---------------------------------------------------------------------

hp_string hp_profile_tags(const struct hp_profile *profile, size_t stack) {
    return stack < profile->tags.count ? profile->tags.at[stack] : (hp_string){0};
}

static bool is_sample(const struct hp_profile *profile, size_t number,
                      const struct hp_sample *sample) {
    const struct hp_stack *stack = &profile->stacks.at[number];
    size_t size = sample->depth * sizeof *sample->frames;
    return stack->depth == sample->depth &&
           (size == 0 || memcmp(stack->frames, sample->frames, size) == 0) &&
           hp_profile_tags(profile, number).n == sample->tags.n;
}

// Of the inputs that tell of a column, the largest; 0 where every allocation was sampled.
static uint64_t period_of(const struct hp_profile *profile, enum hp_column column) {
    uint64_t period = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        bool tells =
            hp_input_is_used(input) && (column == HP_COLUMN_INUSE || input->has_alloc);
        if (tells && input->period > 1 && input->period > period) {
            period = input->period;
        }
    }
    return period;
}

bool hp_profile_is_uncertain(const struct hp_profile *profile, enum hp_column column) {
    return hp_profile_has_total_error(profile, column) && period_of(profile, column) > 0;
}

static void add_to(struct hp_profile *profile, size_t stack,
                   const struct hp_values *values,
                   const struct hp_error *const errors[HP_COLUMNS]) {
    bool fits = hp_values_add(&profile->stacks.at[stack].values, values);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        fits &= !hp_profile_has_errors(profile, i) || !errors[i] ||
                hp_error_add(&profile->errors[i].at[stack], errors[i]);
    }
    profile->overflow |= !fits;
}

// The number of the stack.
static uint32_t add(struct hp_profile *profile, const struct hp_sample *sample,
                    bool is_adopted, const struct hp_values *values,
                    const struct hp_error *const errors[HP_COLUMNS]) {
    static const struct hp_error no_error;
    size_t size = sample->depth * sizeof *sample->frames;
    uint32_t number, hash = (uint32_t)hp_hash_bytes(sample->frames, size,
                                                    hp_hash_key() ^ sample->tags.n);
    for (size_t at = hash; hp_index_next(&profile->stack_index, hash, &at, &number);) {
        if (is_sample(profile, number, sample)) {
            add_to(profile, number, values, errors);
            return number;
        }
    }
    struct hp_stack stack = {*values, sample->frames, sample->depth};
    if (!is_adopted && size > 0) {
        stack.frames = hp_arena_alloc(&profile->arena, size, alignof(hp_frame_id));
        memcpy(stack.frames, sample->frames, size);
    }
    number = (uint32_t)profile->stacks.count;
    hp_index_put(&profile->stack_index, hash, number);
    hp_vec_push(&profile->stacks, stack);
    if (sample->tags.n) {
        *hp_vec_reach(&profile->tags, number) = sample->tags;
    }
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        if (hp_profile_has_errors(profile, i)) {
            hp_vec_push(&profile->errors[i], errors[i] ? *errors[i] : no_error);
        }
    }
    return number;
}

uint32_t hp_profile_add(struct hp_profile *profile, const struct hp_sample *sample,
                        const struct hp_values *values,
                        const struct hp_error *const errors[HP_COLUMNS]) {
    return add(profile, sample, false, values, errors);
}

uint32_t hp_profile_add_adopted(struct hp_profile *profile,
                                const struct hp_sample *sample,
                                const struct hp_values *values,
                                const struct hp_error *const errors[HP_COLUMNS]) {
    return add(profile, sample, true, values, errors);
}

void hp_profile_add_sizes(struct hp_profile *profile, uint32_t stack,
                          const struct hp_sizes others[HP_COLUMNS], uint32_t other) {
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_sizes_add_stack(&profile->sizes[i], stack, &others[i], other);
        profile->overflow |= profile->sizes[i].overflow;
    }
}

void hp_profile_set_alloc(struct hp_profile *profile) {
    profile->has_alloc = true;
    if (hp_profile_has_errors(profile, HP_COLUMN_ALLOC) && profile->stacks.count > 0) {
        (void)hp_vec_reach(&profile->errors[HP_COLUMN_ALLOC], profile->stacks.count - 1);
    }
}

void hp_profile_reserve(struct hp_profile *profile, size_t stacks) {
    hp_vec_reserve(&profile->stacks, stacks);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_vec_reserve(&profile->errors[i],
                       hp_profile_has_errors(profile, i) ? stacks : 0);
    }
    hp_index_reserve(&profile->stack_index, stacks);
}

struct hp_values hp_profile_total(const struct hp_profile *profile) {
    struct hp_values total = {{0}};
    const struct hp_stack *stack;
    hp_vec_each (stack, &profile->stacks) {
        hp_values_add(&total, &stack->values);
    }
    return total;
}

struct hp_error hp_profile_error(const struct hp_profile *profile,
                                 enum hp_column column) {
    struct hp_error total = profile->total_errors[column];
    total.period = period_of(profile, column);
    return total;
}

// --- merging two profiles -------------------------------------------------------

static hp_string import_string(struct hp_profile *profile, const struct hp_profile *other,
                               hp_string string) {
    return hp_strtab_add(&profile->strings, hp_strtab_span(&other->strings, string));
}

hp_module_id hp_profile_import_module(struct hp_profile *profile,
                                      const struct hp_profile *other, hp_module_id id) {
    struct hp_module module = other->modules.at[id.n];
    module.path = import_string(profile, other, module.path);
    module.told_id = module.build_id = import_string(profile, other, module.told_id);
    return hp_profile_module(profile, &module, extents_of(other, &module));
}

static hp_frame_id *map_frames(struct hp_profile *profile,
                               const struct hp_profile *other) {
    hp_module_id *modules = hp_alloc(other->modules.count * sizeof *modules);
    hp_frame_id *map = hp_alloc(other->frames.count * sizeof *map);
    for (uint32_t i = 0; i < other->modules.count; i++) {
        modules[i] = hp_profile_import_module(profile, other, (hp_module_id){i});
    }
    for (size_t i = 0; i < other->frames.count; i++) {
        const struct hp_frame *frame = &other->frames.at[i];
        map[i] = hp_profile_frame(profile, modules[frame->module.n], frame->offset);
        profile->frames.at[map[i].n].is_return_leaf |= frame->is_return_leaf;
    }
    free(modules);
    return map;
}

// Add the stacks of `other`, and what each is called here to `numbers`.
static void absorb_stacks(struct hp_profile *profile, const struct hp_profile *other,
                          const hp_frame_id *frames, uint32_t *numbers) {
    HP_VEC(hp_frame_id) mapped = {0};
    struct hp_tag_import tags = {.from_sets = &other->tag_sets,
                                 .from_strings = &other->strings,
                                 .sets = &profile->tag_sets,
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
            errors[i] = hp_profile_has_errors(other, i) ? &other->errors[i].at[s] : NULL;
        }
        struct hp_sample sample = {mapped.at, stack->depth,
                                   hp_tags_import(&tags, hp_profile_tags(other, s))};
        numbers[s] = hp_profile_add(profile, &sample, &stack->values, errors);
        hp_profile_add_sizes(profile, numbers[s], other->sizes, (uint32_t)s);
    }
    hp_tag_import_done(&tags);
    hp_vec_done(&mapped);
}

void hp_profile_absorb(struct hp_profile *profile, struct hp_profile *other) {
    hp_frame_id *frames = map_frames(profile, other);
    uint32_t *stacks = hp_alloc(other->stacks.count * sizeof *stacks);
    if (other->has_alloc) {
        hp_profile_set_alloc(profile);
    }
    absorb_stacks(profile, other, frames, stacks);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_error_add(&profile->total_errors[i], &other->total_errors[i]);
    }
    hp_history_absorb(&profile->history, &other->history, stacks, other->stacks.count);
    hp_vec_append(&profile->group_of, other->group_of.at, other->group_of.count);
    struct hp_sample_import import = {&profile->strings, &other->strings, stacks,
                                      other->stacks.count};
    hp_sample_types_absorb(&profile->types, &other->types, &import);
    hp_annotations_import(&profile->annotations, &profile->strings, &other->annotations,
                          &other->strings);
    for (int i = 0; i < 2; i++) {
        hp_between_add(&profile->between[i], &other->between[i], stacks);
        profile->overflow |= profile->between[i].sums.overflow;
    }
    profile->overflow |= other->overflow;
    free(frames);
    free(stacks);
    hp_profile_done(other);
}

// --- canonical order ------------------------------------------------------------

// The same for the same inputs, in whatever order and by however many threads they were merged.
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
        order = hp_span_compare(hp_strtab_span(&profile->strings, a->told_id),
                                hp_strtab_span(&profile->strings, b->told_id));
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
