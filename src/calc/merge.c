#include "calc/merge.h"

#include "calc/generated_names.h"
#include "calc/header_check.h"
#include "calc/threads.h"
#include "model/ages.h"
#include "model/made_counts.h"
#include "model/stack_lookahead.h"

#include <assert.h>
#include <string.h>

// Move the process keys of a merged dump to the record.
static void take_process_keys(struct hp_dump *dump, struct hp_input_record *record) {
    if (dump->is_merged) {
        record->keys = hp_alloc(sizeof *record->keys);
        *record->keys = dump->process_keys;
        dump->process_keys = (struct hp_process_keys){.unidentified = 0};
    }
}

// Copy the facts about the dump to the record.
static void describe(const struct hp_dump *dump, struct hp_input_record *record) {
    record->producer = dump->producer;
    record->period = dump->period;
    record->bytes = dump->bytes;
    record->lines = dump->lines;
    record->stacks = dump->stacks.count;
    record->threads = dump->header_threads;
    record->addresses = dump->addresses.count;
    hp_input_set_producer_warning(record, dump->producer_warning);
    record->producer_warning_line = dump->producer_warning_line;
    record->malformed = dump->malformed;
    record->expected = dump->expected;
    record->listed = dump->listed.count;
    record->slabs = dump->slabs;
    record->unknown = dump->unknown;
    record->wrapped = dump->wrapped;
    record->negative = dump->negative;
    record->overlaps = dump->overlaps;
    record->missing_metrics = dump->missing_metrics;
    record->header = dump->header;
    record->header_line = dump->header_line;
    record->samples = dump->samples;
    record->merged_used = dump->merged_used;
    record->merged_all = dump->merged_all;
    record->identity.map = dump->map;
    record->identity.map_start = dump->map_start;
    record->identity.map_end = dump->map_end;
    record->identity.nanoseconds = dump->annotations.time;
    record->identity.is_merged = dump->is_merged;
}

// Prepare room for the estimates of the dump.  Nearly all stacks of the first dump are
// new.  They are therefore estimated directly in the memory of the profile's stacks,
// whose count stays 0 until they are added.
static void make_room(struct hp_merger *merger, struct hp_profile *profile,
                      size_t stacks) {
    merger->estimated = 0;
    merger->adopts = profile->stacks.count == 0 && profile->runs.all.count == 0 &&
                     !merger->splits_threads && !merger->only_estimates;
    if (merger->adopts) {
        hp_vec_reserve(&profile->stacks, stacks);
        merger->adopted = profile->stacks.at;
    } else {
        hp_vec_reserve(&merger->values, stacks);
    }
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_stack_errors_clear(&merger->errors[i]);
        merger->keeps[i] = hp_profile_wants_errors(profile, i) &&
                           (i == HP_COLUMN_INUSE || merger->unbias.has_alloc);
        hp_vec_reserve(&merger->errors[i].of, merger->keeps[i] ? stacks : 0);
        merger->total_errors[i] = (struct hp_error){0};
        hp_sizes_clear(&merger->sizes[i]);
        hp_sizes_clear(&merger->ages[i]);
        merger->ages[i].is_whole = profile->ages[i].is_whole;
    }
}

// Return the address of the estimate of stack number `stack` of the dump.
static struct hp_values *values_of(const struct hp_merger *merger, size_t stack) {
    return merger->adopts ? &merger->adopted[stack].values : &merger->values.at[stack];
}

// Add a stack and its bytes in use to the counts in the record, by how its object sizes
// were recovered (enum hp_read).
static void count_read(struct hp_input_record *record, const struct hp_values *values,
                       const struct hp_error *error) {
    for (int i = 0; i < HP_READS; i++) {
        if (error->read[i] > 0) {
            record->read[i].stacks++;
            record->read[i].bytes += values->of[HP_INUSE_SPACE];
        }
    }
}

// Add the stack that was estimated last to merger->ages.  Memory that is not listed, or
// not in use, gets the age HP_NO_AGE.
static void keep_ages(struct hp_merger *merger, const struct hp_dump_stack *stack,
                      const struct hp_error errors[HP_COLUMNS], enum hp_column column) {
    uint32_t number = (uint32_t)(merger->estimated - 1);
    struct hp_sizes *ages = &merger->ages[column];
    const struct hp_values *values = values_of(merger, number);
    struct hp_size_part whole = {.size = HP_NO_AGE,
                                 .objects = values->of[hp_objects_of(column)],
                                 .bytes = values->of[hp_space_of(column)],
                                 .error = errors[column]};
    bool is_nothing = whole.objects == 0 && whole.bytes == 0;
    bool is_listed = column == HP_COLUMN_INUSE &&
                     hp_sizes_add_listed_ages(ages, number, &merger->unbias, stack);
    if (!is_listed && !is_nothing) {
        hp_sizes_add(ages, number, &whole);
    }
}

// Keep the error, sizes and ages of the stack that was estimated last, as far as the
// profile needs them.
static void keep(struct hp_merger *merger, const struct hp_dump_stack *stack,
                 const struct hp_error errors[HP_COLUMNS]) {
    uint32_t number = (uint32_t)(merger->estimated - 1);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_error_add(&merger->total_errors[i], &errors[i]);
        if (merger->keeps_sizes[i]) {
            hp_sizes_add_decoded(&merger->sizes[i], number, &merger->unbias, stack, i);
        }
        if (merger->keeps_ages) {
            keep_ages(merger, stack, errors, i);
        }
        if (merger->keeps[i]) {
            hp_stack_errors_push(&merger->errors[i], &errors[i]);
        }
    }
}

// --- recorded errors -------------------------------------------------------------------

// Find the sample types of the dump that are recorded errors, and store their indices in
// merger->recorded.  Only profiles that this program merged have them.
static void find_recorded_errors(struct hp_merger *merger, const struct hp_dump *dump) {
    static const char *const names[HP_COLUMNS][HP_RECORDED_ERRORS] = {
        {"inuse_space_variance", "inuse_space_hidden", "inuse_space_excess",
         "inuse_space_certain"},
        {"alloc_space_variance", "alloc_space_hidden", "alloc_space_excess",
         "alloc_space_certain"},
    };
    memset(merger->recorded, 0, sizeof merger->recorded);
    for (size_t i = 0;
         dump->producer == HP_PRODUCER_PPROF_OURS &&
         merger->unbias.scaling == HP_SCALING_SCALED &&
         merger->unbias.estimator == HP_ESTIMATOR_BEST && i < dump->types.count;
         i++) {
        const struct hp_dump_type *type = &dump->types.at[i];
        struct hp_span name = hp_strtab_span(&dump->strings, type->type);
        struct hp_span unit = hp_strtab_span(&dump->strings, type->unit);
        for (int k = 0; k < HP_COLUMNS * HP_RECORDED_ERRORS; k++) {
            bool is_variance = k % HP_RECORDED_ERRORS == HP_RECORDED_VARIANCE;
            if (hp_span_is(name, names[k / HP_RECORDED_ERRORS][k % HP_RECORDED_ERRORS]) &&
                hp_span_is(unit, is_variance ? "KiB^2" : "bytes")) {
                merger->recorded[k / HP_RECORDED_ERRORS][k % HP_RECORDED_ERRORS] = i + 1;
            }
        }
    }
}

// Replace the errors of stack `s` by the recorded ones.  These are better: the sums of a
// merged stack alone would be treated like those of a single dump.
static void take_recorded_errors(const struct hp_merger *merger,
                                 const struct hp_dump *dump, size_t s,
                                 struct hp_error errors[HP_COLUMNS]) {
    const int64_t *values = hp_dump_values(dump, s);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        const size_t *places = merger->recorded[i];
        uint64_t recorded[HP_RECORDED_ERRORS];
        bool is_complete = true;
        for (int k = 0; k < HP_RECORDED_ERRORS; k++) {
            int64_t value = values && places[k] > 0 ? values[places[k] - 1] : 0;
            is_complete &= places[k] > 0 && value >= 0;
            recorded[k] = (uint64_t)value;
        }
        if (is_complete) {
            errors[i].variance = (hp_int128)recorded[HP_RECORDED_VARIANCE]
                                 << HP_SPACE_FRACTION;
            errors[i].hidden_bytes_max = recorded[HP_RECORDED_HIDDEN];
            errors[i].excess_bytes_max = recorded[HP_RECORDED_EXCESS];
            errors[i].observed_bytes = recorded[HP_RECORDED_CERTAIN];
        }
    }
}

// Estimate all stacks of the dump, before any is added, so that an unusable dump leaves
// no trace in the profile.  Adds the estimates up in record->total.  Returns false if a
// number is too large.
static bool estimate(struct hp_merger *merger, const struct hp_dump *dump,
                     struct hp_input_record *record) {
    const struct hp_dump_stack *stack;
    hp_vec_each (stack, &dump->stacks) {
        struct hp_values *values = values_of(merger, merger->estimated++);
        struct hp_error errors[HP_COLUMNS];
        if (!hp_unbias_stack(&merger->unbias, dump, stack, values, errors) ||
            !hp_values_add(&record->total, values)) {
            return false;
        }
        count_read(record, values, &errors[HP_COLUMN_INUSE]);
        take_recorded_errors(merger, dump, merger->estimated - 1, errors);
        keep(merger, stack, errors);
    }
    return true;
}

// Replace the dump's frames by those of the profile, in the same memory.
static hp_frame_id *translate(const struct hp_merger *merger, struct hp_dump *dump) {
    static_assert(sizeof(hp_frame_id) == sizeof *dump->frames.at, "ids take one word");
    hp_frame_id *frames = (hp_frame_id *)dump->frames.at;
    for (size_t i = 0; i < dump->frames.count; i++) {
        frames[i] = merger->resolver.frames.at[dump->frames.at[i]];
    }
    return frames;
}

// Join consecutive frames of a stack that represent any number of addresses, unmapped or
// of generated code, to one.  Stacks of several threads share their frames in memory: the
// freed slots at the end are marked, and are skipped when the same frames are joined
// again.
static void join_many(const struct hp_merger *merger, const struct hp_profile *profile,
                      struct hp_sample *sample) {
    static const uint32_t skipped_slot = UINT32_MAX;
    uint32_t kept = 0, last = skipped_slot;
    const struct hp_resolver *resolver = &merger->resolver;
    if (resolver->unmapped + resolver->generated == 0 || merger->keeps_unmapped) {
        return;
    }
    for (uint32_t i = 0; i < sample->depth; i++) {
        hp_frame_id frame = sample->frames[i];
        bool is_frame = frame.n != skipped_slot;
        bool is_many =
            is_frame && hp_frame_is_many(profile, &profile->frames.at[frame.n]);
        if (is_frame && !(is_many && frame.n == last)) {
            sample->frames[kept++] = frame;
        }
        last = frame.n;
    }
    for (uint32_t i = kept; i < sample->depth; i++) {
        sample->frames[i].n = skipped_slot;
    }
    sample->depth = kept;
}

// --- further types ---------------------------------------------------------------------

// Find or add the further sample types of the dump (those that are none of our metrics)
// in the profile, put their numbers there into merger->types, and begin the values of
// input number `input` in each.
static void begin_types(struct hp_merger *merger, const struct hp_dump *dump,
                        struct hp_profile *profile, uint32_t input) {
    merger->types.count = 0;
    const struct hp_dump_type *type;
    hp_vec_each (type, &dump->types) {
        hp_string name =
            hp_strtab_add(&profile->strings, hp_strtab_span(&dump->strings, type->type));
        hp_string unit =
            hp_strtab_add(&profile->strings, hp_strtab_span(&dump->strings, type->unit));
        uint32_t number =
            hp_sample_types_find(&profile->types, name, unit, type->is_space);
        hp_sample_type_begin(&profile->types.of.at[number], input,
                             profile->history.is_kept);
        hp_vec_push(&merger->types, number);
    }
}

// Add the values that stack number `stack` of the dump has in further sample types to
// stack `number` of the profile.
static void add_values(const struct hp_merger *merger, const struct hp_dump *dump,
                       size_t stack, struct hp_profile *profile, uint32_t number) {
    const int64_t *values = hp_dump_values(dump, stack);
    for (size_t i = 0; values && i < merger->types.count; i++) {
        hp_sample_type_add(&profile->types, merger->types.at[i], number, values[i]);
    }
}

// End the values of the current input, by hp_sample_type_end(), in each further sample
// type of the dump, that is, each that is none of our metrics.
static void end_types(const struct hp_merger *merger, struct hp_profile *profile) {
    const uint32_t *type;
    hp_vec_each (type, &merger->types) {
        hp_sample_type_end(&profile->types.of.at[*type]);
    }
}

// --- stacks ----------------------------------------------------------------------------

// Record that the leaf of a stack is a return address.  Leaves in dumps of gperftools are
// none; those of pprof may be anything.
static void mark_leaf(const struct hp_dump *dump, const struct hp_sample *sample,
                      struct hp_profile *profile) {
    bool returns = dump->producer == HP_PRODUCER_JEMALLOC ||
                   dump->producer == HP_PRODUCER_JEMALLOC_3;
    if (returns && sample->depth > 0) {
        profile->frames.at[sample->frames[0].n].is_return_leaf = true;
    }
}

// Append a row for a stack of the dump to merger->rows, if the caller wants rows.
static void add_row(const struct hp_merger *merger, uint32_t stack,
                    const struct hp_values *values,
                    const struct hp_error *const errors[HP_COLUMNS]) {
    if (!merger->rows) {
        return;
    }
    struct hp_dump_row row = {.stack = stack, .values = *values};
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        row.errors[i] = errors[i] ? *errors[i] : (struct hp_error){0};
    }
    hp_vec_push(&merger->rows->all, row);
}

// Record the values that the dump added to a stack of the profile: in the history, or,
// for a partial, in the sums of the dump's replicate; and as a row.
static void note_added(const struct hp_merger *merger, struct hp_profile *profile,
                       uint32_t stack, const struct hp_values *values,
                       const struct hp_error *const errors[HP_COLUMNS]) {
    if (profile->history.is_kept) {
        hp_history_put(&profile->history, stack, values, errors);
    } else if (profile->keeps.partial && !profile->settings.drops_identities) {
        hp_replicates_add_values(&profile->variation.between[0].sums, merger->group,
                                 stack, values);
    }
    add_row(merger, stack, values, errors);
}

// Let the profile take over the memory of merger->errors for the errors of its own
// stacks.  These are added one after the other, each at its own place or before it.
static void adopt_errors(struct hp_merger *merger, struct hp_profile *profile) {
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        if (merger->keeps[i] && hp_profile_has_errors(profile, i)) {
            hp_stack_errors_done(&profile->errors.stacks[i]);
            profile->errors.stacks[i] = merger->errors[i];
            profile->errors.stacks[i].of.count = 0;
            merger->errors[i] = (struct hp_stack_errors){.of = {0}};
        }
    }
}

// Prepare the profile to take over the stacks of its first dump without a copy.
static void prepare_adoption(struct hp_merger *merger, const struct hp_dump *dump,
                             struct hp_profile *profile) {
    adopt_errors(merger, profile);
    hp_profile_reserve(profile, dump->stacks.count);
    hp_profile_sort(profile, merger->resolver.frames.at, merger->resolver.frames.count);
}

// Point errors[] to the errors of a stack; NULL: not kept.
static void find_errors(const struct hp_merger *merger, const struct hp_profile *profile,
                        size_t stack, const struct hp_error *errors[HP_COLUMNS]) {
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        bool is_adopted = merger->adopts && hp_profile_has_errors(profile, i);
        const struct hp_stack_errors *all =
            is_adopted ? &profile->errors.stacks[i] : &merger->errors[i];
        errors[i] = merger->keeps[i] ? hp_stack_error(all, stack) : NULL;
    }
}

// Prefetch the table entry of a stack that is added some steps after `s`.
static void look_ahead(const struct hp_merger *merger, const struct hp_dump *dump,
                       const struct hp_profile *profile, size_t s,
                       struct hp_stack_lookahead *ahead) {
    const hp_frame_id *frames = (const hp_frame_id *)dump->frames.at;
    size_t next = s + HP_LOOKAHEAD;
    if (!merger->adopts && next < dump->stacks.count && frames) {
        const struct hp_dump_stack *stack = &dump->stacks.at[next];
        hp_stack_lookahead(ahead, profile, frames + stack->first_frame, stack->depth);
    }
}

// Add all stacks to the profile.  The frames of the first dump are not copied; they are
// put into canonical order now, while there are few.  Stacks of several threads share
// their frames in memory.
static void add_stacks(struct hp_merger *merger, struct hp_dump *dump,
                       struct hp_profile *profile) {
    if (merger->adopts) {
        prepare_adoption(merger, dump, profile);
    }
    hp_frame_id *frames = translate(merger, dump);
    struct hp_tag_import tags = {.from_sets = &dump->tag_sets,
                                 .from_strings = &dump->strings,
                                 .sets = &profile->tags.sets,
                                 .strings = &profile->strings};
    struct hp_stack_lookahead ahead = {.seen = 0};
    for (size_t s = 0; s < dump->stacks.count; s++) {
        const struct hp_dump_stack *stack = &dump->stacks.at[s];
        const struct hp_values *values = values_of(merger, s);
        look_ahead(merger, dump, profile, s, &ahead);
        const struct hp_error *errors[HP_COLUMNS];
        find_errors(merger, profile, s, errors);
        // `frames` is NULL if no stack has frames.
        hp_frame_id *own = frames ? frames + stack->first_frame : NULL;
        struct hp_sample sample = {.frames = own, .depth = stack->depth};
        if (merger->keeps_labels) {
            sample.tags = hp_tags_import(&tags, hp_dump_extra(dump, s).tags);
        }
        join_many(merger, profile, &sample);
        mark_leaf(dump, &sample, profile);
        uint32_t number = merger->adopts
                              ? hp_profile_add_adopted(profile, &sample, values, errors)
                              : hp_profile_add(profile, &sample, values, errors);
        if (merger->keeps_sizes[HP_COLUMN_INUSE] ||
            merger->keeps_sizes[HP_COLUMN_ALLOC]) {
            hp_profile_add_sizes(profile, number, merger->sizes, (uint32_t)s);
        }
        if (merger->keeps_ages) {
            hp_profile_add_ages(profile, number, merger->ages, (uint32_t)s);
        }
        note_added(merger, profile, number, values, errors);
        add_values(merger, dump, s, profile, number);
    }
    hp_tag_import_done(&tags);
    if (merger->adopts) {
        hp_vec_push(&profile->memory.blocks, frames);
        dump->frames.at = NULL;
        dump->frames.count = dump->frames.capacity = 0;
    }
}

// Add the estimates of the dump to the profile.
static void add(struct hp_merger *merger, struct hp_dump *dump,
                struct hp_profile *profile, struct hp_input_record *record) {
    if (merger->namer) {
        hp_generated_name(&merger->resolver, dump, merger->namer);
    }
    hp_resolve(&merger->resolver, dump, profile);
    record->unmapped_addresses = merger->resolver.unmapped;
    record->files = (uint32_t)merger->resolver.images.count;
    profile->inputs.tagged_addresses += dump->tagged;
    profile->inputs.unloaded_addresses += merger->resolver.unloaded;
    profile->inputs.generated_addresses += merger->resolver.generated;
    if (merger->unbias.has_alloc) {
        hp_profile_set_alloc(profile);
    }
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_error_add(&profile->errors.totals[i], &merger->total_errors[i]);
    }
    hp_history_begin(&profile->history);
    merger->group = record->group;
    begin_types(merger, dump, profile, record->number);
    add_stacks(merger, dump, profile);
    end_types(merger, profile);
    if (profile->history.is_kept) {
        hp_history_end(&profile->history, record->number);
    }
    if (profile->history.is_kept && profile->keeps.partial) {
        hp_vec_push(&profile->variation.group_of,
                    ((struct hp_group_of){record->number, record->group}));
    }
    hp_annotations_import(&profile->inputs.annotations, &profile->strings,
                          &dump->annotations, &dump->strings);
    if (dump->stacks.count > 0) { // else frames may still be renumbered
        hp_embedded_symbols_add(&merger->embedded, profile, dump,
                                merger->resolver.frames.at);
    }
}

// Remove objects younger than `age`, in place.  Returns how many are left.
static uint32_t drop_younger(struct hp_listed *listed, uint32_t count, uint64_t age) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (listed[i].age >= age) {
            listed[kept++] = listed[i];
        }
    }
    return kept;
}

// Drop everything except listed objects of at least `age` nanoseconds.  Stacks without
// such an object are removed; the others keep these objects and lose their counts.
static void keep_listed(struct hp_dump *dump, uint64_t age) {
    size_t kept = 0;
    for (size_t i = 0; i < dump->extras.count; i++) {
        struct hp_stack_extra extra = dump->extras.at[i];
        struct hp_dump_stack stack = dump->stacks.at[i];
        if (extra.listed > 0) {
            extra.listed =
                drop_younger(&dump->listed.at[extra.first_listed], extra.listed, age);
        }
        extra.values_end = 0;
        if (extra.listed > 0) {
            stack.counts = (struct hp_counts){{0, 0}, {0, 0}};
            stack.lines = 0;
            dump->extras.at[kept] = extra;
            dump->stacks.at[kept++] = stack;
        }
    }
    dump->stacks.count = dump->extras.count = kept;
}

// Keep only listed objects of at least merger->older_than.  Ages are known for listed
// objects only; all other memory is dropped.
static void keep_older(struct hp_merger *merger, struct hp_dump *dump,
                       struct hp_input_record *record) {
    bool takes_listed = hp_unbias_takes_listed(&merger->unbias);
    keep_listed(dump, takes_listed ? merger->older_than : UINT64_MAX);
    record->listed = takes_listed ? record->listed : 0;
    record->missing_metrics |= 1U << HP_ALLOC_SPACE | 1U << HP_ALLOC_OBJECTS;
    record->has_alloc = merger->unbias.has_alloc = false;
}

// Fill in the facts of the record that follow from the memory map, without changing the
// profile.
static void describe_map(struct hp_merger *merger, const struct hp_dump *dump,
                         struct hp_input_record *record) {
    struct hp_profile aside;
    hp_profile_init(&aside);
    hp_resolve(&merger->resolver, dump, &aside);
    record->unmapped_addresses = merger->resolver.unmapped;
    record->files = (uint32_t)merger->resolver.images.count;
    hp_profile_done(&aside);
}

// Find the row of the map of each address.  The prover is asked which builds ran if
// stacks are added, or if a binary may show how to read large sizes.  Record which
// jemalloc ran.
static void resolve_places(struct hp_merger *merger, const struct hp_dump *dump,
                           const struct hp_profile *profile,
                           struct hp_input_record *record) {
    struct hp_unbias *unbias = &merger->unbias;
    bool is_open = unbias->most_decoded > 0 && unbias->large_sizes == HP_LARGE_AUTO;
    bool is_asked = profile->settings.prover && (is_open || !merger->only_estimates);
    merger->resolver.keeps_unmapped = merger->keeps_unmapped;
    if (is_asked || !merger->only_estimates || profile->keeps.partial) {
        hp_resolve_places(&merger->resolver, dump,
                          is_asked ? profile->settings.prover : NULL);
    }
    if (is_asked) {
        record->jemalloc = hp_resolved_jemalloc(&merger->resolver);
    }
    if (is_asked && is_open) {
        hp_unbias_set_large_sizes(unbias, hp_resolved_large_sizes(&merger->resolver));
    }
}

// Record how large sizes were read, and, if that was only assumed, how many bytes are in
// large objects.  It matters for rewritten numbers only; raw ones show true sizes.
static void keep_large_sizes(const struct hp_merger *merger,
                             struct hp_input_record *record) {
    bool is_rewritten = record->scaling == HP_SCALING_UNBIASED;
    bool is_decoded = merger->unbias.most_decoded > 0;
    enum hp_large_sizes sizes = merger->unbias.large_sizes;
    record->large_sizes = is_rewritten && is_decoded ? sizes : HP_LARGE_AUTO;
    record->large_bytes =
        is_rewritten && sizes == HP_LARGE_AUTO ? merger->unbias.large_bytes : 0;
}

// Record how the header of the dump changes its total.  The stacks have to be all that
// the header counts, and their sizes those that jemalloc's weights are of: neither those
// of listed objects, nor whole pages.
static void keep_gain(const struct hp_merger *merger, const struct hp_dump *dump,
                      struct hp_input_record *record) {
    bool is_whole = !merger->only_thread && merger->older_than == 0;
    if (record->scaling != HP_SCALING_UNBIASED || !is_whole || record->listed > 0 ||
        record->header_check != HP_HEADER_AGREES || !hp_unbias_undoes(&merger->unbias) ||
        merger->unbias.large_sizes == HP_LARGE_PAGES) {
        return;
    }
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        record->has_gain |=
            hp_header_gain_of(dump, &merger->unbias, i, record->total.of[hp_space_of(i)],
                              &merger->total_errors[i], &record->gain[i]);
    }
}

int hp_merge(struct hp_merger *merger, struct hp_dump *dump, struct hp_profile *profile,
             struct hp_input_record *record, struct hp_err *err) {
    merger->unbias.large_sizes = merger->large_sizes;
    hp_unbias_init(&merger->unbias, profile->settings.estimator, dump);
    describe(dump, record);
    take_process_keys(dump, record);
    record->scaling = merger->unbias.scaling;
    record->has_alloc = merger->unbias.has_alloc;
    record->header_check = hp_header_check(dump, &merger->unbias);
    record->made = merger->keeps_made ? hp_made_counts_of(dump) : NULL;
    record->inconsistent_stacks = hp_count_inconsistent_stacks(dump, &merger->unbias);
    if (merger->older_than > 0) {
        keep_older(merger, dump, record);
    }
    if (merger->splits_threads) {
        hp_threads_split(dump, hp_unbias_takes_listed(&merger->unbias));
    }
    if (merger->only_thread) {
        hp_threads_keep(dump, merger->only_thread);
    }
    resolve_places(merger, dump, profile, record);
    find_recorded_errors(merger, dump);
    make_room(merger, profile, dump->stacks.count);
    if (!estimate(merger, dump, record)) {
        return hp_fail(err, HP_E_LIMIT,
                       HP_MESSAGE("dump-numbers-too-large",
                                  "impossible numbers, from stack %zu of %zu on"),
                       merger->estimated, dump->stacks.count);
    }
    keep_large_sizes(merger, record);
    keep_gain(merger, dump, record);
    if (merger->keeps_live) {
        record->live = hp_alloc(sizeof *record->live);
        hp_live_samples_init(record->live, &merger->sizes[HP_COLUMN_INUSE],
                             &merger->unbias);
    }
    if (!merger->only_estimates) {
        add(merger, dump, profile, record);
    } else if (profile->keeps.partial) {
        describe_map(merger, dump, record);
    }
    return HP_OK;
}

void hp_merger_done(struct hp_merger *merger) {
    hp_unbias_done(&merger->unbias);
    hp_resolver_done(&merger->resolver);
    hp_embedded_symbols_done(&merger->embedded);
    hp_vec_done(&merger->values);
    hp_vec_done(&merger->types);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_stack_errors_done(&merger->errors[i]);
        hp_sizes_done(&merger->sizes[i]);
        hp_sizes_done(&merger->ages[i]);
    }
}
