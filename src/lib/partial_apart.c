#include "lib/partial_apart.h"

#include "lib/partial_question.h"

#include <string.h>

#define NONE UINT32_MAX

// One of the builds of a module, or the lack of a file, as dumps of the partial have it.
struct variant {
    struct hp_proof_module proof; // result of the prover, the same for all these dumps
    uint32_t open;                // the module before, as index in apart.open
    uint32_t module;              // number of its module in the profile
    uint32_t dumps;               // number of dumps that have it
};

// One dump of the history.
struct dump {
    uint32_t input; // number of the input
    uint32_t kind;  // index in apart.kinds, in units of open.count
};

// A place in a list: the frame or stack that stands for another one in a variant, or in
// dumps of a kind.
struct stand_in {
    uint32_t of;     // variant, or kind
    uint32_t number; // number of the frame or stack
    uint32_t next;   // 1 + index of the next place of the list; 0: this is the last
};

// Lists of frames or stacks by the number that they have in the partial.
struct stand_ins {
    HP_VEC(struct stand_in) all;
    uint32_t *first; // 1 + index of the first place; 0: the list is empty
};

// The estimate of one stack, as a sum over dumps.
struct estimate {
    struct hp_values values;
    struct hp_error errors[HP_COLUMNS];
};

// The state of taking one partial apart.
struct apart {
    struct hp_profile *profile;
    struct hp_embedded_symbols *embedded;
    bool is_by_stacks;     // the builds of single stacks are found, not those of dumps
    HP_VEC(uint32_t) open; // numbers of the modules that no file fits
    // For each frame of the partial: 1 + index of its module in `open`; 0: none.
    uint32_t *open_of;
    HP_VEC(struct variant) variants;
    // Kinds of dumps that agree in all modules of `open`: the variant of each, or NONE if
    // the dumps do not have the module.
    HP_VEC(uint32_t) kinds;
    HP_VEC(struct dump) dumps;
    struct stand_ins frames, stacks;
    size_t stack_count;             // number of stacks of the partial
    HP_VEC(uint32_t) origins;       // stack that each stack after these is made from
    HP_VEC(struct estimate) totals; // for each stack
};

// --- asking ----------------------------------------------------------------------------

// Fill apart->open and open_of.
static void find_open(struct apart *apart) {
    const struct hp_profile *profile = apart->profile;
    uint32_t *place = hp_alloc(profile->modules.count * sizeof *place);
    for (uint32_t i = 0; i < profile->modules.count; i++) {
        const struct hp_module *module = &profile->modules.at[i];
        if (hp_module_has_code(module) && module->proof == HP_PROOF_OPEN &&
            module->misfits.failed > 0) {
            hp_vec_push(&apart->open, i);
            place[i] = (uint32_t)apart->open.count;
        }
    }
    for (size_t i = 0; i < profile->frames.count; i++) {
        apart->open_of[i] = place[profile->frames.at[i].module.n];
    }
    free(place);
}

static int by_input(const void *left, const void *right) {
    const struct dump *a = left, *b = right;
    return (a->input > b->input) - (a->input < b->input);
}

// Fill apart->dumps: those of the history, and those that have values of a sample type.
static void find_dumps(struct apart *apart) {
    const struct hp_history_block *block;
    hp_vec_each (block, &apart->profile->history.blocks) {
        hp_vec_push(&apart->dumps, ((struct dump){.input = block->input}));
    }
    const struct hp_sample_type *type;
    hp_vec_each (type, &apart->profile->types.of) {
        const struct hp_sample_input *input;
        hp_vec_each (input, &type->inputs) {
            hp_vec_push(&apart->dumps, ((struct dump){.input = input->number}));
        }
    }
    hp_vec_sort(&apart->dumps, by_input);
    size_t kept = 0;
    for (size_t i = 0; i < apart->dumps.count; i++) { // shards have parts of each dump
        const struct dump *dump = &apart->dumps.at[i];
        if (kept == 0 || apart->dumps.at[kept - 1].input != dump->input) {
            apart->dumps.at[kept++] = *dump;
        }
    }
    apart->dumps.count = kept;
}

// Return whether a result of the prover says the same as a variant.
static bool is_variant(const struct variant *variant, uint32_t open,
                       const struct hp_proof_module *proof) {
    const char *own = variant->proof.builds ? variant->proof.builds : "";
    return variant->open == open && variant->proof.proof == proof->proof &&
           strcmp(own, proof->builds ? proof->builds : "") == 0;
}

// Return the variant of a result of the prover, which is added if it is new; it takes
// what the result owns.
static uint32_t variant_of(struct apart *apart, uint32_t open,
                           struct hp_proof_module *proof) {
    for (uint32_t i = 0; i < apart->variants.count; i++) {
        struct variant *known = &apart->variants.at[i];
        if (is_variant(known, open, proof)) {
            hp_return_check_join(&known->proof.returns, &proof->returns);
            known->dumps++;
            return i;
        }
    }
    hp_vec_push(&apart->variants,
                ((struct variant){.proof = *proof, .open = open, .dumps = 1}));
    proof->builds = proof->stamp = NULL;
    proof->elf_addresses = NULL;
    return (uint32_t)apart->variants.count - 1;
}

// Return the kind of a dump with these variants, which is added if it is new.
static uint32_t kind_of(struct apart *apart, const uint32_t *variants) {
    size_t size = apart->open.count, count = apart->kinds.count / size;
    for (uint32_t i = 0; i < count; i++) {
        if (memcmp(apart->kinds.at + i * size, variants, size * sizeof *variants) == 0) {
            return i;
        }
    }
    hp_vec_append(&apart->kinds, variants, size);
    return (uint32_t)count;
}

// Add the stacks that a dump has in a history to `stacks`, and set `has` for each module
// of `open` that it has there.
static void look_at_history(const struct apart *apart, struct hp_history_reader *reader,
                            struct hp_asked_stacks *stacks, bool *has) {
    struct hp_observation seen;
    while (hp_history_next(reader, &seen)) {
        const struct hp_stack *stack = &apart->profile->stacks.at[seen.stack];
        hp_vec_push(&stacks->all, seen.stack);
        for (uint32_t i = 0; i < stack->depth; i++) {
            uint32_t open = apart->open_of[stack->frames[i].n];
            if (open > 0) {
                has[open - 1] = true;
            }
        }
    }
}

// Set `stacks` to those of a dump, and `has` to whether it has each module of `open`.
static void look_at_dump(const struct apart *apart, struct hp_history_reader *reader,
                         const struct dump *dump, struct hp_asked_stacks *stacks,
                         bool *has) {
    memset(has, 0, apart->open.count * sizeof *has);
    stacks->all.count = 0;
    hp_history_open(reader, &apart->profile->history, dump->input);
    look_at_history(apart, reader, stacks, has);
    const struct hp_sample_type *type;
    hp_vec_each (type, &apart->profile->types.of) {
        hp_history_open(reader, &type->history, dump->input);
        look_at_history(apart, reader, stacks, has);
    }
}

// Set the kind of each dump, as the prover finds it.
static void ask(struct apart *apart, struct hp_prover *prover) {
    struct hp_asked_stacks stacks = {.profile = apart->profile};
    struct hp_proof_question question = {.dump = NULL};
    struct hp_history_reader reader = {0};
    uint32_t *variants = hp_alloc(apart->open.count * sizeof *variants);
    bool *has = hp_alloc(apart->open.count * sizeof *has);
    struct dump *dump;
    hp_vec_each (dump, &apart->dumps) {
        look_at_dump(apart, &reader, dump, &stacks, has);
        hp_proof_question_clear(&question);
        hp_partial_ask(&stacks, &question);
        prover->prove(prover, &question);
        for (uint32_t i = 0; i < apart->open.count; i++) {
            struct hp_proof_module *proof = &question.modules.at[apart->open.at[i]];
            variants[i] = has[i] ? variant_of(apart, i, proof) : NONE;
        }
        dump->kind = kind_of(apart, variants);
    }
    free(variants);
    free(has);
    hp_history_done_reading(&reader);
    hp_proof_question_done(&question);
    hp_vec_done(&stacks.all);
}

// --- modules and frames ----------------------------------------------------------------

// Make a module of each variant.  The first of a module takes its place.
static void make_modules(struct apart *apart) {
    struct hp_profile *profile = apart->profile;
    bool *is_taken = hp_alloc(apart->open.count * sizeof *is_taken);
    struct variant *variant;
    hp_vec_each (variant, &apart->variants) {
        struct hp_module module = profile->modules.at[apart->open.at[variant->open]];
        variant->module = apart->open.at[variant->open];
        if (is_taken[variant->open]) {
            uint32_t from = module.first_extent;
            module.first_extent = (uint32_t)profile->extents.count;
            for (uint32_t i = 0; i < module.extents; i++) {
                struct hp_extent extent = profile->extents.at[from + i];
                hp_vec_push(&profile->extents, extent);
            }
            variant->module = (uint32_t)profile->modules.count;
            hp_vec_push(&profile->modules, module);
        }
        is_taken[variant->open] = true;
    }
    free(is_taken);
}

// Set the proofs of the modules, and their ELF addresses if the files show them.
static void settle_modules(struct apart *apart) {
    struct hp_profile *profile = apart->profile;
    const struct variant *variant;
    hp_vec_each (variant, &apart->variants) {
        struct hp_module *module = &profile->modules.at[variant->module];
        hp_profile_take_proof(profile, module, &variant->proof);
        module->dumps = variant->dumps;
        module->has_partials = apart->is_by_stacks;
        module->is_by_stacks =
            apart->is_by_stacks && variant->proof.proof == HP_PROOF_FITS;
        for (uint32_t i = 0; variant->proof.elf_addresses && i < module->extents; i++) {
            profile->extents.at[module->first_extent + i].address =
                variant->proof.elf_addresses[i];
            module->addresses = HP_ADDRESS_VIRTUAL;
        }
    }
}

// Return the frame that stands for a frame of the partial in a variant of its module.
static uint32_t frame_in(struct apart *apart, uint32_t frame, uint32_t variant) {
    struct hp_profile *profile = apart->profile;
    struct stand_ins *lists = &apart->frames;
    for (uint32_t i = lists->first[frame]; i > 0; i = lists->all.at[i - 1].next) {
        if (lists->all.at[i - 1].of == variant) {
            return lists->all.at[i - 1].number;
        }
    }
    struct stand_in made = {variant, frame, lists->first[frame]};
    if (made.next > 0) {
        struct hp_frame copy = profile->frames.at[frame];
        made.number = (uint32_t)profile->frames.count;
        hp_vec_push(&profile->frames, copy);
        hp_embedded_symbols_copy(apart->embedded, (hp_frame_id){frame},
                                 (hp_frame_id){made.number});
    }
    hp_vec_push(&lists->all, made);
    lists->first[frame] = (uint32_t)lists->all.count;
    return made.number;
}

// Return the frame that stands for a frame of the partial in dumps of a kind.
static uint32_t frame_of(struct apart *apart, uint32_t frame, uint32_t kind) {
    uint32_t open = apart->open_of[frame];
    size_t first = kind * apart->open.count;
    return open > 0 ? frame_in(apart, frame, apart->kinds.at[first + open - 1]) : frame;
}

// Put each frame into the module of its variant.
static void place_frames(struct apart *apart) {
    struct hp_profile *profile = apart->profile;
    const struct stand_in *place;
    hp_vec_each (place, &apart->frames.all) {
        struct hp_frame *frame = &profile->frames.at[place->number];
        const struct variant *variant = &apart->variants.at[place->of];
        const struct hp_module *module = &profile->modules.at[variant->module];
        struct hp_proof_module proof = variant->proof;
        proof.extents = hp_vec_from(&profile->extents, module->first_extent);
        frame->module.n = variant->module;
        frame->address = proof.elf_addresses
                             ? hp_proof_elf_address(&proof, frame->address)
                             : frame->address;
    }
    hp_index_drop(&profile->index.frames); // it is rebuilt when it is needed
}

// --- stacks ----------------------------------------------------------------------------

// Return whether dumps of two kinds have the same builds of all modules in a stack.
static bool are_alike(const struct apart *apart, uint32_t stack, uint32_t a, uint32_t b) {
    const struct hp_stack *frames = &apart->profile->stacks.at[stack];
    size_t size = apart->open.count;
    bool are = true;
    for (uint32_t i = 0; a != b && i < frames->depth; i++) {
        uint32_t open = apart->open_of[frames->frames[i].n];
        are &= open == 0 || apart->kinds.at[a * size + open - 1] ==
                                apart->kinds.at[b * size + open - 1];
    }
    return are;
}

// Return the stack that stands for a stack of the partial in dumps of a kind.
static uint32_t stack_of(struct apart *apart, uint32_t stack, uint32_t kind) {
    struct stand_ins *lists = &apart->stacks;
    for (uint32_t i = lists->first[stack]; i > 0; i = lists->all.at[i - 1].next) {
        if (are_alike(apart, stack, lists->all.at[i - 1].of, kind)) {
            return lists->all.at[i - 1].number;
        }
    }
    struct stand_in made = {kind, stack, lists->first[stack]};
    if (made.next > 0) {
        made.number = (uint32_t)(apart->stack_count + apart->origins.count);
        hp_vec_push(&apart->origins, stack);
    }
    hp_vec_push(&lists->all, made);
    lists->first[stack] = (uint32_t)lists->all.count;
    return made.number;
}

// Add an observation to the total of its stack.
static void add_to_total(struct apart *apart, uint32_t stack,
                         const struct hp_observation *seen) {
    struct estimate *total = hp_vec_reach(&apart->totals, stack);
    bool fits = hp_values_add(&total->values, &seen->values);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        fits &= hp_error_add(&total->errors[i], &seen->errors[i]);
    }
    apart->profile->overflow |= !fits;
}

// Rewrite the history with the stacks that stand for those of the partial.
static void rewrite_history(struct apart *apart) {
    struct hp_profile *profile = apart->profile;
    struct hp_history made = {.is_kept = profile->history.is_kept};
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    const struct dump *dump;
    hp_vec_each (dump, &apart->dumps) {
        hp_history_open(&reader, &profile->history, dump->input);
        hp_history_begin(&made);
        while (hp_history_next(&reader, &seen)) {
            const struct hp_error *errors[HP_COLUMNS];
            for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
                errors[i] = hp_profile_wants_errors(profile, i) ? &seen.errors[i] : NULL;
            }
            uint32_t stack = stack_of(apart, seen.stack, dump->kind);
            add_to_total(apart, stack, &seen);
            hp_history_put(&made, stack, &seen.values, errors);
        }
        hp_history_end(&made, dump->input);
    }
    hp_history_done_reading(&reader);
    hp_history_done(&profile->history);
    profile->history = made;
}

// Return whether an input has values of a type, even if all are 0.
static bool has_type(const struct hp_sample_type *type, uint32_t input) {
    bool has = false;
    const struct hp_sample_input *each;
    hp_vec_each (each, &type->inputs) {
        has |= each->number == input;
    }
    return has;
}

// Rewrite the values of one sample type, as rewrite_history() does.
static void rewrite_type(struct apart *apart, uint32_t number) {
    struct hp_sample_types *types = &apart->profile->types;
    struct hp_sample_type *type = &types->of.at[number], old = *type;
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    *type = (struct hp_sample_type){old.type, old.unit, .in_place_of = old.in_place_of};
    const struct dump *dump;
    hp_vec_each (dump, &apart->dumps) {
        if (!has_type(&old, dump->input)) {
            continue;
        }
        hp_sample_type_begin(type, dump->input, old.history.is_kept);
        hp_history_open(&reader, &old.history, dump->input);
        while (hp_history_next(&reader, &seen)) {
            uint32_t stack = stack_of(apart, seen.stack, dump->kind);
            hp_fixed value = seen.values.of[type->in_place_of];
            hp_sample_types_add_sum(types, number, stack, value);
            hp_sample_type_put(type, stack, value);
        }
        hp_sample_type_end(type);
    }
    hp_history_done_reading(&reader);
    hp_sample_type_done(&old);
}

// Replace the parts of a stack (sizes or ages) by its part of `total`.  If the stack had
// several parts, their sizes become unknown: the history does not have them.
static void split_parts(struct hp_sizes *parts, enum hp_column column, uint32_t origin,
                        uint32_t stack, const struct estimate *total) {
    const struct hp_size_part *first = hp_sizes_of(parts, origin);
    if (!first || parts->is_whole) {
        return;
    }
    if (hp_sizes_next(parts, first)) {
        hp_sizes_fill(parts, origin);
        first = hp_sizes_of(parts, origin);
    }
    struct hp_size_part part = *first;
    part.objects = total->values.of[hp_objects_of(column)];
    part.bytes = total->values.of[hp_space_of(column)];
    part.error = total->errors[column];
    hp_sizes_set(parts, stack, &part);
}

// Set the values, errors and parts of a stack to its total.
static void settle_stack(struct apart *apart, uint32_t origin, uint32_t stack) {
    struct hp_profile *profile = apart->profile;
    const struct estimate *total = hp_vec_reach(&apart->totals, stack);
    profile->stacks.at[stack].values = total->values;
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        if (hp_profile_has_errors(profile, i)) {
            hp_stack_errors_set(&profile->errors.stacks[i], stack, &total->errors[i]);
        }
        split_parts(&profile->sizes[i], i, origin, stack, total);
        split_parts(&profile->ages[i], i, origin, stack, total);
    }
}

// Add the stacks that were made, each a copy of its origin.
static void add_stacks(struct apart *apart) {
    struct hp_profile *profile = apart->profile;
    const uint32_t *origin;
    hp_vec_each (origin, &apart->origins) {
        struct hp_stack copy = profile->stacks.at[*origin];
        size_t size = copy.depth * sizeof *copy.frames;
        hp_string tags = hp_profile_tags(profile, *origin);
        copy.frames = hp_arena_alloc(&profile->memory.arena, size, alignof(hp_frame_id));
        memcpy(copy.frames, profile->stacks.at[*origin].frames, size);
        if (tags.n != 0) {
            *hp_vec_reach(&profile->tags.of_stacks, profile->stacks.count) = tags;
        }
        hp_vec_push(&profile->stacks, copy);
    }
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        if (hp_profile_has_errors(profile, i)) {
            hp_stack_errors_reach(&profile->errors.stacks[i], profile->stacks.count);
        }
    }
}

// Set the frames and estimates of all stacks that stand for stack `origin` of the
// partial.  The last of the list is that stack itself.
static void settle_stacks_of(struct apart *apart, uint32_t origin) {
    struct hp_profile *profile = apart->profile;
    uint32_t first = apart->stacks.first[origin];
    bool has_several = first > 0 && apart->stacks.all.at[first - 1].next > 0;
    for (uint32_t i = first; i > 0; i = apart->stacks.all.at[i - 1].next) {
        const struct stand_in *place = &apart->stacks.all.at[i - 1];
        struct hp_stack *stack = &profile->stacks.at[place->number];
        for (uint32_t k = 0; k < stack->depth; k++) {
            stack->frames[k].n = frame_of(apart, stack->frames[k].n, place->of);
        }
        if (has_several) {
            settle_stack(apart, origin, place->number);
        }
    }
}

// Index the stacks anew, whose frames have changed.
static void index_stacks(struct hp_profile *profile) {
    hp_index_drop(&profile->index.stacks);
    for (size_t i = 0; i < profile->stacks.count; i++) {
        const struct hp_stack *stack = &profile->stacks.at[i];
        hp_index_put(&profile->index.stacks,
                     hp_profile_stack_hash(stack->frames, stack->depth,
                                           hp_profile_tags(profile, i)),
                     i);
    }
}

// Give the frames that were made their modules, after all stacks refer to them.
static void settle(struct apart *apart) {
    index_stacks(apart->profile);
    make_modules(apart);
    place_frames(apart);
    settle_modules(apart);
}

// --- dumps that are not recorded individually ------------------------------------------

// Return whether the dumps of the profile are known only as groups.  The records of inputs
// do not show it here: those of shards are not in the profile.
static bool has_groups(const struct hp_profile *profile) {
    return profile->stacks.count > 0 && profile->history.blocks.count == 0;
}

// Return the variant of a frame, given its place among the proofs of its module, or NULL
// if no file names the frame.
static uint32_t variant_of_place(struct apart *apart, uint32_t open,
                                 const struct hp_stack_proofs *proofs,
                                 const struct hp_proof_place *place) {
    const struct hp_module *module = &apart->profile->modules.at[apart->open.at[open]];
    struct hp_proof_module proof = {.proof = HP_PROOF_OPEN, .returns = module->misfits};
    if (place) {
        proof.proof = HP_PROOF_FITS;
        proof.builds = hp_copy(proofs->builds.at[place->build]);
        proof.returns = (struct hp_return_check){.checked = 0};
    }
    uint32_t variant = variant_of(apart, open, &proof);
    apart->variants.at[variant].dumps = 0;
    hp_proof_module_done(&proof);
    return variant;
}

// Rewrite the frames of all stacks by what the stacks show about each module.
static void place_by_stacks(struct apart *apart, const struct hp_stack_proofs *proofs) {
    struct hp_profile *profile = apart->profile;
    size_t *next = hp_alloc(apart->open.count * sizeof *next);
    for (size_t s = 0; s < profile->stacks.count; s++) {
        struct hp_stack *stack = &profile->stacks.at[s];
        for (uint32_t i = 0; i < stack->depth; i++) {
            uint32_t open = apart->open_of[stack->frames[i].n];
            if (open == 0) {
                continue;
            }
            const struct hp_stack_proofs *own = &proofs[open - 1];
            size_t at = next[open - 1];
            const struct hp_proof_place *place =
                at < own->places.count ? &own->places.at[at] : NULL;
            bool is_named = place && place->stack == s && place->frame == i;
            next[open - 1] += is_named;
            uint32_t variant =
                variant_of_place(apart, open - 1, own, is_named ? place : NULL);
            stack->frames[i].n = frame_in(apart, stack->frames[i].n, variant);
        }
    }
    free(next);
}

// Make modules of the builds that single stacks show.
static void take_stacks_apart(struct apart *apart, struct hp_prover *prover) {
    struct hp_asked_stacks stacks = {.profile = apart->profile};
    struct hp_proof_question question = {.dump = NULL};
    struct hp_stack_proofs *proofs = hp_alloc(apart->open.count * sizeof *proofs);
    bool is_any = false;
    for (uint32_t i = 0; i < apart->profile->stacks.count; i++) {
        hp_vec_push(&stacks.all, i);
    }
    hp_partial_ask(&stacks, &question);
    for (uint32_t i = 0; i < apart->open.count; i++) {
        prover->prove_stacks(prover, &question, apart->open.at[i], &proofs[i]);
        is_any |= proofs[i].places.count > 0;
    }
    if (is_any) {
        apart->is_by_stacks = true;
        place_by_stacks(apart, proofs);
        settle(apart);
    }
    for (uint32_t i = 0; i < apart->open.count; i++) {
        hp_stack_proofs_done(&proofs[i]);
    }
    free(proofs);
    hp_proof_question_done(&question);
    hp_vec_done(&stacks.all);
}

// --- all -------------------------------------------------------------------------------

// Return whether a file fits a module in some dump.
static bool has_any(const struct apart *apart) {
    const struct variant *variant;
    bool has = false;
    hp_vec_each (variant, &apart->variants) {
        has |= variant->proof.proof != HP_PROOF_OPEN;
    }
    return has;
}

// Make a module of each build, and the frames and stacks that are of several builds once
// for each.
static void take_apart(struct apart *apart) {
    struct hp_profile *profile = apart->profile;
    apart->stack_count = profile->stacks.count;
    apart->stacks.first = hp_alloc(apart->stack_count * sizeof *apart->stacks.first);
    rewrite_history(apart);
    for (uint32_t i = 0; i < profile->types.of.count; i++) {
        rewrite_type(apart, i);
    }
    add_stacks(apart);
    for (uint32_t i = 0; i < apart->stack_count; i++) {
        settle_stacks_of(apart, i);
    }
    settle(apart);
    free(apart->stacks.first);
}

static void apart_done(struct apart *apart) {
    struct variant *variant;
    hp_vec_each (variant, &apart->variants) {
        hp_proof_module_done(&variant->proof);
    }
    free(apart->open_of);
    free(apart->frames.first);
    hp_vec_done(&apart->open);
    hp_vec_done(&apart->variants);
    hp_vec_done(&apart->kinds);
    hp_vec_done(&apart->dumps);
    hp_vec_done(&apart->frames.all);
    hp_vec_done(&apart->stacks.all);
    hp_vec_done(&apart->origins);
    hp_vec_done(&apart->totals);
}

void hp_partial_take_apart(struct hp_profile *profile,
                           struct hp_embedded_symbols *embedded,
                           struct hp_prover *prover) {
    struct apart apart = {.profile = profile, .embedded = embedded};
    apart.open_of = hp_alloc(profile->frames.count * sizeof *apart.open_of);
    apart.frames.first = hp_alloc(profile->frames.count * sizeof *apart.frames.first);
    find_open(&apart);
    bool is_open = apart.open.count > 0, are_groups = has_groups(profile);
    if (is_open && are_groups) {
        take_stacks_apart(&apart, prover);
    } else if (is_open) {
        hp_history_sort(&profile->history);
        hp_sample_types_sort(&profile->types, &profile->strings);
        find_dumps(&apart);
        ask(&apart, prover);
    }
    if (!are_groups && has_any(&apart)) {
        take_apart(&apart);
    }
    apart_done(&apart);
}
