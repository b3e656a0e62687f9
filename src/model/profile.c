#include "model/profile.h"

#include "base/hash.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hp_profile_init(struct hp_profile *profile) {
    *profile = (struct hp_profile){
        .match_time = hp_alloc(sizeof *profile->match_time),
        .keeps.errors = {true, true},
    };
    hp_vec_push(&profile->modules, ((struct hp_module){.kind = HP_MODULE_NONE}));
}

// Free the stacks in memory with their labels, errors, sizes and index; runs remain.
static void drop_stacks_in_memory(struct hp_profile *profile) {
    hp_arena_done(&profile->memory.arena);
    hp_vec_done(&profile->stacks);
    hp_vec_done(&profile->tags.of_stacks);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_stack_errors_done(&profile->errors.stacks[i]);
        hp_sizes_done(&profile->sizes[i]);
        hp_sizes_done(&profile->ages[i]);
    }
    hp_index_drop(&profile->index.stacks);
}

static void free_blocks(struct hp_stack_memory *memory) {
    void **block;
    hp_vec_each (block, &memory->blocks) {
        free(*block);
    }
    hp_vec_done(&memory->blocks);
}

static void variation_done(struct hp_variation *variation) {
    hp_between_done(&variation->between[0]);
    hp_between_done(&variation->between[1]);
    hp_vec_done(&variation->group_of);
    variation->summed = 0;
}

// Free stacks, modules, frames and everything that refers to them.
static void drop_stacks(struct hp_profile *profile) {
    drop_stacks_in_memory(profile);
    hp_stack_runs_done(&profile->runs);
    hp_vec_done(&profile->modules);
    hp_vec_done(&profile->extents);
    hp_vec_done(&profile->frames);
    hp_vec_done(&profile->lines);
    hp_vec_done(&profile->sources);
    hp_strtab_done(&profile->tags.sets);
    free_blocks(&profile->memory);
    hp_history_done(&profile->history);
    variation_done(&profile->variation);
    hp_sample_types_done(&profile->types);
    hp_annotations_done(&profile->inputs.annotations);
    hp_index_drop(&profile->index.modules);
    hp_index_drop(&profile->index.frames);
}

void hp_profile_forget_stacks(struct hp_profile *profile) {
    drop_stacks(profile);
    profile->memory.arena = (struct hp_arena){NULL};
    profile->history = (struct hp_history){.is_kept = profile->keeps.history};
    profile->types = (struct hp_sample_types){.overflow = false};
    profile->inputs.annotations = (struct hp_annotations){.time = 0};
    memset(profile->errors.totals, 0, sizeof profile->errors.totals);
    profile->inputs.have_alloc = profile->overflow = false;
    profile->inputs.tagged_addresses = profile->inputs.unloaded_addresses = 0;
    profile->inputs.generated_addresses = 0;
    hp_vec_push(&profile->modules, ((struct hp_module){.kind = HP_MODULE_NONE}));
}

// Return the bytes of memory that an index takes.
static size_t index_size(const struct hp_index *index) {
    return (index->slot_count + index->hashes.capacity) * sizeof *index->slots;
}

size_t hp_profile_stack_memory(const struct hp_profile *profile) {
    size_t size = hp_arena_size(&profile->memory.arena) +
                  index_size(&profile->index.stacks) +
                  profile->stacks.capacity * sizeof *profile->stacks.at +
                  profile->tags.of_stacks.capacity * sizeof *profile->tags.of_stacks.at +
                  profile->variation.between[0].sums.all.capacity *
                      sizeof *profile->variation.between[0].sums.all.at;
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        size += hp_stack_errors_memory(&profile->errors.stacks[i]) +
                hp_sizes_memory(&profile->sizes[i]) + hp_sizes_memory(&profile->ages[i]);
    }
    return size;
}

void hp_profile_take_run(struct hp_profile *profile, struct hp_stack_run *run,
                         uint32_t *rank) {
    struct hp_stack_runs *runs = &profile->runs;
    // Takes ownership of `rank`.
    struct hp_history_map map = {rank, profile->stacks.count};
    const struct hp_stack *stack;
    run->stacks = profile->stacks.count;
    for (size_t i = 0; i < map.count; i++) {
        rank[i] += HP_RUN_STACKS + (uint32_t)runs->stacks;
    }
    hp_vec_each (stack, &profile->stacks) {
        runs->overflow |= !hp_values_add(&runs->total, &stack->values);
    }
    hp_stack_runs_add(runs, run);
    profile->overflow |= runs->overflow || runs->stacks >= HP_RUN_STACKS;
    hp_history_renumber(&profile->history, map);
    drop_stacks_in_memory(profile);
    hp_vec_done(&profile->variation.between[0].sums.all);
    profile->variation.between[0].sums.settled = 0;
}

void hp_profile_keep(struct hp_profile *profile, const struct hp_needs *needs) {
    profile->keeps = *needs;
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        profile->ages[i].is_whole = !needs->ages_by_stack;
    }
}

enum hp_large_sizes hp_large_sizes_of(const struct hp_profile *profile, size_t number) {
    bool is_known = profile->settings.large_sizes == HP_LARGE_AUTO &&
                    number < profile->inputs.known_large_sizes.count;
    return is_known ? (enum hp_large_sizes)profile->inputs.known_large_sizes.at[number]
                    : profile->settings.large_sizes;
}

static void sentences_done(struct hp_sentences *sentences) {
    hp_vec_done(&sentences->warnings);
    hp_vec_done(&sentences->minor);
    hp_vec_done(&sentences->moments);
    hp_vec_done(&sentences->sources);
}

static void settings_done(struct hp_settings *settings) {
    if (settings->prover && settings->owns_prover) {
        settings->prover->done(settings->prover);
    }
    hp_run_store_free(settings->store);
}

void hp_profile_done(struct hp_profile *profile) {
    settings_done(&profile->settings);
    drop_stacks(profile);
    hp_strtab_done(&profile->strings);
    hp_inputs_done(&profile->inputs);
    sentences_done(&profile->sentences);
    free(profile->match_time);
    free(profile->originals.texts);
    *profile = (struct hp_profile){0};
}

size_t *hp_profile_frame_counts(const struct hp_profile *profile) {
    size_t *counts = hp_alloc(profile->modules.count * sizeof *counts);
    const struct hp_frame *frame;
    hp_vec_each (frame, &profile->frames) {
        counts[frame->module.n]++;
    }
    return counts;
}

const char *hp_profile_original(const struct hp_profile *profile, hp_string string) {
    return string.n < profile->originals.count ? profile->originals.texts[string.n].at
                                               : hp_profile_text(profile, string);
}

const char *hp_profile_text(const struct hp_profile *profile, hp_string string) {
    return hp_strtab_text(&profile->strings, string);
}

// Whether a module is that of generated code.
static bool is_generated(const struct hp_profile *profile, hp_module_id id) {
    const struct hp_module *module = &profile->modules.at[id.n];
    return module->kind == HP_MODULE_PSEUDO &&
           strcmp(hp_profile_original(profile, module->path), HP_GENERATED_MODULE) == 0;
}

bool hp_frame_is_many(const struct hp_profile *profile, const struct hp_frame *frame) {
    return frame->address == 0 &&
           (frame->module.n == 0 || is_generated(profile, frame->module));
}

bool hp_frame_is_doubtful(const struct hp_profile *profile,
                          const struct hp_frame *frame) {
    return frame->is_disputed && hp_frame_is_by_names(frame) &&
           is_generated(profile, frame->module);
}

// Add a formatted text to the strings of the profile.
HP_PRINTF(2, 0)
static hp_string print(struct hp_profile *profile, const char *format, va_list args);

static hp_string print(struct hp_profile *profile, const char *format, va_list args) {
    char *text = hp_vprinted(format, args);
    hp_string string = hp_strtab_add(&profile->strings, hp_span_of(text));
    free(text);
    return string;
}

// Add the code of `message` to the strings of the profile.
static hp_string add_code(struct hp_profile *profile, const char *message) {
    char code[HP_CODE_SIZE];
    hp_message_code(code, message);
    return hp_strtab_add(&profile->strings, hp_span_of(code));
}

HP_PRINTF(3, 0)
static void add_warning(struct hp_profile *profile, struct hp_warning_rank rank,
                        const char *format, va_list args);

static void add_warning(struct hp_profile *profile, struct hp_warning_rank rank,
                        const char *format, va_list args) {
    struct hp_sentences *sentences = &profile->sentences;
    struct hp_warning warning = {.text = print(profile, format, args),
                                 .code = add_code(profile, format),
                                 .rank = rank};
    if (rank.is_minor) {
        hp_vec_push(&sentences->minor, warning);
    } else {
        hp_vec_push(&sentences->warnings, warning);
    }
    sentences->last_is_minor = rank.is_minor;
}

void hp_profile_warn(struct hp_profile *profile, const char *format, ...) {
    va_list args;
    struct hp_warning_rank rank = {.subject = HP_WARN_OF_NUMBERS, .share = 1};
    va_start(args, format);
    add_warning(profile, rank, format, args);
    va_end(args);
}

void hp_profile_warn_as(struct hp_profile *profile, struct hp_warning_rank rank,
                        const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_warning(profile, rank, format, args);
    va_end(args);
}

void hp_profile_warned_of(struct hp_profile *profile, const char *message) {
    struct hp_sentences *sentences = &profile->sentences;
    if (sentences->last_is_minor) {
        sentences->minor.at[sentences->minor.count - 1].code = add_code(profile, message);
    } else {
        sentences->warnings.at[sentences->warnings.count - 1].code =
            add_code(profile, message);
    }
}

void hp_profile_shorten_warning(struct hp_profile *profile, const char *format, ...) {
    struct hp_sentences *sentences = &profile->sentences;
    va_list args;
    va_start(args, format);
    sentences->warnings.at[sentences->warnings.count - 1].shorter =
        print(profile, format, args);
    va_end(args);
}

// --- stacks ----------------------------------------------------------------------------

hp_string hp_profile_tags(const struct hp_profile *profile, size_t stack) {
    return stack < profile->tags.of_stacks.count ? profile->tags.of_stacks.at[stack]
                                                 : (hp_string){0};
}

// Whether the stack with this number has the frames and labels of a sample.
static bool is_sample(const struct hp_profile *profile, size_t number,
                      const struct hp_sample *sample) {
    const struct hp_stack *stack = &profile->stacks.at[number];
    size_t size = sample->depth * sizeof *sample->frames;
    return stack->depth == sample->depth &&
           (size == 0 || memcmp(stack->frames, sample->frames, size) == 0) &&
           hp_profile_tags(profile, number).n == sample->tags.n;
}

// Return the largest sample period of the used inputs that have numbers of a column; 0 if
// every allocation was sampled.
static uint64_t period_of(const struct hp_profile *profile, enum hp_column column) {
    uint64_t period = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        bool has_column = hp_input_has_metric(input, hp_space_of(column)) ||
                          hp_input_has_metric(input, hp_objects_of(column));
        if (hp_input_is_used(input) && has_column && input->period > 1 &&
            input->period > period) {
            period = input->period;
        }
    }
    return period;
}

bool hp_profile_is_uncertain(const struct hp_profile *profile, enum hp_column column) {
    return hp_profile_has_total_error(profile, column) && period_of(profile, column) > 0;
}

// Add values and errors to those of an existing stack.
static void add_to(struct hp_profile *profile, size_t stack,
                   const struct hp_values *values,
                   const struct hp_error *const errors[HP_COLUMNS]) {
    bool fits = hp_values_add(&profile->stacks.at[stack].values, values);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        fits &= !hp_profile_has_errors(profile, i) || !errors[i] ||
                hp_stack_errors_add(&profile->errors.stacks[i], stack, errors[i]);
    }
    profile->overflow |= !fits;
}

uint32_t hp_profile_stack_hash(const hp_frame_id *frames, uint32_t depth,
                               hp_string tags) {
    return (uint32_t)hp_hash_bytes(frames, depth * sizeof *frames,
                                   hp_hash_key() ^ tags.n);
}

// Add values and errors to the stack of a sample, or create the stack.  If is_adopted,
// its frames are not copied.  Returns its number.
static uint32_t add(struct hp_profile *profile, const struct hp_sample *sample,
                    bool is_adopted, const struct hp_values *values,
                    const struct hp_error *const errors[HP_COLUMNS]) {
    static const struct hp_error no_error;
    size_t size = sample->depth * sizeof *sample->frames;
    uint32_t number,
        hash = hp_profile_stack_hash(sample->frames, sample->depth, sample->tags);
    for (size_t at = hash; hp_index_next(&profile->index.stacks, hash, &at, &number);) {
        if (is_sample(profile, number, sample)) {
            add_to(profile, number, values, errors);
            return number;
        }
    }
    struct hp_stack stack = {*values, sample->frames, sample->depth};
    if (!is_adopted && size > 0) {
        stack.frames = hp_arena_alloc(&profile->memory.arena, size, alignof(hp_frame_id));
        memcpy(stack.frames, sample->frames, size);
    }
    number = (uint32_t)profile->stacks.count;
    hp_index_put(&profile->index.stacks, hash, number);
    hp_vec_push(&profile->stacks, stack);
    if (sample->tags.n) {
        *hp_vec_reach(&profile->tags.of_stacks, number) = sample->tags;
    }
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        if (hp_profile_has_errors(profile, i)) {
            hp_stack_errors_push(&profile->errors.stacks[i],
                                 errors[i] ? errors[i] : &no_error);
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

// Add the parts (objects of one size or age) of stack `other` in `others` to those of
// `stack` in `own`, which is profile->sizes or profile->ages.
static void add_parts(struct hp_profile *profile, struct hp_sizes own[HP_COLUMNS],
                      uint32_t stack, const struct hp_sizes others[HP_COLUMNS],
                      uint32_t other) {
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_sizes_add_stack(&own[i], stack, &others[i], other);
        profile->overflow |= own[i].overflow;
    }
}

void hp_profile_add_sizes(struct hp_profile *profile, uint32_t stack,
                          const struct hp_sizes others[HP_COLUMNS], uint32_t other) {
    add_parts(profile, profile->sizes, stack, others, other);
}

void hp_profile_add_ages(struct hp_profile *profile, uint32_t stack,
                         const struct hp_sizes others[HP_COLUMNS], uint32_t other) {
    add_parts(profile, profile->ages, stack, others, other);
}

void hp_profile_set_alloc(struct hp_profile *profile) {
    profile->inputs.have_alloc = true;
    if (hp_profile_has_errors(profile, HP_COLUMN_ALLOC)) {
        hp_stack_errors_reach(&profile->errors.stacks[HP_COLUMN_ALLOC],
                              profile->stacks.count);
    }
}

void hp_profile_reserve(struct hp_profile *profile, size_t stacks) {
    hp_vec_reserve(&profile->stacks, stacks);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_vec_reserve(&profile->errors.stacks[i].of,
                       hp_profile_has_errors(profile, i) ? stacks : 0);
    }
    hp_index_reserve(&profile->index.stacks, stacks);
}

struct hp_values hp_profile_total(const struct hp_profile *profile) {
    struct hp_values total = profile->runs.total;
    const struct hp_stack *stack;
    hp_vec_each (stack, &profile->stacks) {
        hp_values_add(&total, &stack->values);
    }
    return total;
}

bool hp_profile_has_all_shards(const struct hp_profile *profile) {
    uint64_t all =
        profile->shards.count < 64 ? (1ULL << profile->shards.count) - 1 : UINT64_MAX;
    return (profile->shards.present & all) == all;
}

bool hp_profile_has_total_error(const struct hp_profile *profile, enum hp_column column) {
    return profile->settings.estimator == HP_ESTIMATOR_BEST &&
           !profile->errors.are_unknown &&
           (column == HP_COLUMN_INUSE || profile->inputs.have_alloc) &&
           (hp_profile_has_all_shards(profile) || hp_profile_has_errors(profile, column));
}

// Return the sum of the errors of all stacks; {0} if they are not kept.
static struct hp_error add_stack_errors(const struct hp_profile *profile,
                                        enum hp_column column) {
    struct hp_error sum = {0};
    bool is_known = hp_profile_has_errors(profile, column);
    for (size_t i = 0; is_known && i < profile->stacks.count; i++) {
        hp_error_add(&sum, hp_stack_error(&profile->errors.stacks[column], i));
    }
    return sum;
}

struct hp_error hp_profile_error(const struct hp_profile *profile,
                                 enum hp_column column) {
    // Every shard has the total errors of all shards.
    struct hp_error total = hp_profile_has_all_shards(profile)
                                ? profile->errors.totals[column]
                                : add_stack_errors(profile, column);
    total.period = period_of(profile, column);
    return total;
}

// --- canonical order -------------------------------------------------------------------

// Order module numbers by the identity of the modules.  This order is the same for the
// same inputs, whatever the order and the number of threads in which they were merged.
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
        order = hp_span_compare(hp_strtab_span(&profile->strings, a->recorded_build_id),
                                hp_strtab_span(&profile->strings, b->recorded_build_id));
    }
    if (order == 0) {
        order = (int)a->addresses - (int)b->addresses;
    }
    if (order == 0) {
        order = (a->span > b->span) - (a->span < b->span);
    }
    if (order == 0) {
        order = (int)a->proof - (int)b->proof;
    }
    if (order == 0) {
        order = hp_span_compare(hp_strtab_span(&profile->strings, a->builds),
                                hp_strtab_span(&profile->strings, b->builds));
    }
    if (order == 0) {
        order = hp_span_compare(hp_strtab_span(&profile->strings, a->stamp),
                                hp_strtab_span(&profile->strings, b->stamp));
    }
    return order ? order
                 : hp_extents_compare(profile->extents.at + a->first_extent, a->extents,
                                      profile->extents.at + b->first_extent, b->extents);
}

// Return the position of each module in canonical order.  The caller frees the result.
static uint32_t *rank_modules(const struct hp_profile *profile) {
    size_t count = profile->modules.count;
    uint32_t *order = hp_alloc(count * sizeof *order); // the inverse of `rank`
    uint32_t *rank = hp_alloc(count * sizeof *rank);
    for (size_t i = 0; i < count; i++) {
        order[i] = (uint32_t)i;
    }
    qsort_r(order, count, sizeof *order, compare_modules, (void *)(uintptr_t)profile);
    for (size_t i = 0; i < count; i++) {
        rank[order[i]] = (uint32_t)i;
    }
    free(order);
    return rank;
}

// A frame and its sort key.
struct keyed_frame {
    uint64_t key;
    uint32_t frame;
};

// Return the position of each frame in the order by module and address.  `module_rank` is
// the position of each module; NULL: modules are in order already.  The caller frees the
// result.
static uint32_t *rank_frames(const struct hp_profile *profile,
                             const uint32_t *module_rank) {
    const struct hp_frame *frames = profile->frames.at;
    size_t count = profile->frames.count;
    struct keyed_frame *order = hp_alloc(count * sizeof *order);
    uint32_t *rank = hp_alloc(count * sizeof *rank);
    for (size_t i = 0; i < count; i++) {
        order[i] = (struct keyed_frame){frames[i].address, (uint32_t)i};
    }
    hp_sort_by_key(order, count, sizeof *order);
    // The sort is stable, so that equal modules remain sorted by address.
    for (size_t i = 0; i < count; i++) {
        uint32_t module = frames[order[i].frame].module.n;
        order[i].key = module_rank ? module_rank[module] : module;
    }
    hp_sort_by_key(order, count, sizeof *order);
    for (size_t i = 0; i < count; i++) {
        rank[order[i].frame] = (uint32_t)i;
    }
    free(order);
    return rank;
}

// Sort the modules into canonical order, and change the module numbers in all frames.
static void sort_modules(struct hp_profile *profile) {
    size_t count = profile->modules.count;
    uint32_t *rank = rank_modules(profile);
    struct hp_module *modules = hp_alloc(count * sizeof *modules);
    bool are_sorted = true;
    for (size_t i = 0; i < count; i++) {
        modules[rank[i]] = profile->modules.at[i];
        are_sorted &= rank[i] == i;
    }
    memcpy(profile->modules.at, modules, count * sizeof *modules);
    for (size_t i = 0; !are_sorted && i < profile->frames.count; i++) {
        hp_module_id *module = &profile->frames.at[i].module;
        module->n = rank[module->n];
    }
    free(modules);
    free(rank);
}

// Whether frames are sorted by module and address.
static bool are_in_order(const struct hp_frame *frames, size_t count) {
    for (size_t i = 1; i < count; i++) {
        uint32_t before = frames[i - 1].module.n, module = frames[i].module.n;
        if (before > module ||
            (before == module && frames[i - 1].address > frames[i].address)) {
            return false;
        }
    }
    return true;
}

// Replace each frame number i in `ids` by rank[i].
static void renumber(hp_frame_id *ids, size_t count, const uint32_t *rank) {
    for (size_t i = 0; i < count; i++) {
        ids[i].n = rank[ids[i].n];
    }
}

uint32_t *hp_profile_frame_ranks(const struct hp_profile *profile) {
    uint32_t *modules = rank_modules(profile);
    uint32_t *rank = rank_frames(profile, modules);
    free(modules);
    return rank;
}

// Sort sets of labels, and renumber them in stacks and runs.  Drops the index of stacks,
// which becomes invalid.
static void sort_sets(struct hp_profile *profile) {
    uint32_t *rank = hp_tags_sort(&profile->tags.sets, &profile->strings);
    hp_string *set;
    hp_vec_each (set, &profile->tags.of_stacks) {
        set->n = rank[set->n];
    }
    const struct hp_stack_run *run;
    hp_vec_each (run, &profile->runs.all) {
        hp_vec_each (set, &run->sets) {
            set->n = rank[set->n];
        }
    }
    hp_index_drop(&profile->index.stacks);
    free(rank);
}

// Sort frames by module and address, and renumber them in stacks, runs and `ids`.  Drops
// the index of stacks if that changes a number.
static void sort_frames(struct hp_profile *profile, hp_frame_id *ids, size_t id_count) {
    size_t count = profile->frames.count;
    bool is_sorted = are_in_order(profile->frames.at, count);
    if (is_sorted && profile->runs.all.count == 0) {
        return;
    }
    uint32_t *rank = rank_frames(profile, NULL);
    hp_stack_runs_settle(&profile->runs, rank, count);
    if (!is_sorted) {
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
        hp_index_drop(&profile->index.stacks);
    }
    free(rank);
}

void hp_profile_sort(struct hp_profile *profile, hp_frame_id *ids, size_t id_count) {
    sort_modules(profile);
    if (profile->frames.count > 0) {
        sort_frames(profile, ids, id_count);
    }
    if (profile->tags.of_stacks.count > 0 || profile->runs.all.count > 0) {
        sort_sets(profile);
    }
    hp_index_drop(&profile->index.modules);
    hp_index_drop(&profile->index.frames);
}
