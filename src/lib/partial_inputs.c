#include "lib/partial_inputs.h"

#include "lib/partial_proof.h"
#include "partial/shards.h"
#include "view/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- shard sets ------------------------------------------------------------------------
//
// Partials that are shards, each with some of the stacks of one profile, and describe the
// same dumps.  The data that they have in common is used once.
//
// Shards of one set have the same identities, groups of dumps, and tables: they were
// written from one profile, or merged from shards that were.  Each shard was read into a
// profile of its own.  The first shard of a set, by number and name, keeps the data about
// dumps; the others keep only their stacks.

// Return the shards (pieces of a split profile) that a partial contains, a bit for each.
static uint64_t present_of(const struct hp_taken *taken) {
    return taken->partials.parameters.of[HP_PARAMETER_SHARD];
}

// Return the number of shards that a whole set has; 1: the partial is no shard.
static uint32_t count_of(const struct hp_taken *taken) {
    return (uint32_t)taken->partials.parameters.of[HP_PARAMETER_SHARDS];
}

// Return the number of the first shard in `present`, which has a bit for each shard.
static unsigned number_of(uint64_t present) {
    return (unsigned)__builtin_ctzll(present);
}

// Order partials by side of the comparison, by the shards that they contain, and by name.
static int by_shard(const void *left, const void *right) {
    const struct hp_taken *a = *(struct hp_taken *const *)left;
    const struct hp_taken *b = *(struct hp_taken *const *)right;
    if (a->is_base != b->is_base) {
        return a->is_base - b->is_base;
    }
    if (present_of(a) != present_of(b)) {
        return present_of(a) < present_of(b) ? -1 : 1;
    }
    return strcmp(a->names.at[0], b->names.at[0]);
}

static bool is_one_set(const struct hp_taken *a, const struct hp_taken *b) {
    return a->is_base == b->is_base &&
           memcmp(a->partials.common, b->partials.common, sizeof a->partials.common) == 0;
}

// Drop the data of a shard that all shards of its set have in common.
static void drop_common(struct hp_taken *taken) {
    struct hp_profile *profile = &taken->profile;
    struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        hp_input_done(input);
    }
    profile->inputs.records.count = profile->inputs.known.count =
        profile->inputs.labels.count = 0;
    memset(profile->errors.totals, 0, sizeof profile->errors.totals);
    hp_annotations_done(&profile->inputs.annotations);
    hp_distribution_done(&profile->variation.between[taken->is_base].dumps);
    profile->inputs.named.count = 0;
    memset(profile->inputs.diagnosed, 0, sizeof profile->inputs.diagnosed);
}

// Fail with HP_E_DUPLICATE, because a shard is given twice.
static int refuse_twice(const struct hp_taken *first, const struct hp_taken *again,
                        struct hp_err *err) {
    uint64_t both = first->shards.present & present_of(again);
    hp_fail(err, HP_E_DUPLICATE,
            HP_MESSAGE("shard-twice", "shard %u of %u of the same dumps is also in %s"),
            number_of(both), count_of(again), first->names.at[0]);
    hp_err_locate(err, again->names.at[0], 0);
    return HP_E_DUPLICATE;
}

// Join shard number i to the first shard of its set, if that comes earlier.
// HP_E_DUPLICATE if it is given twice, or stores no identities of dumps.
static int join(struct hp_taken_all *all, size_t i, struct hp_err *err) {
    struct hp_taken *taken = all->at[i];
    taken->shards = (struct hp_shards){count_of(taken), present_of(taken)};
    if (taken->profile.inputs.known.count == 0) {
        hp_fail(
            err, HP_E_DUPLICATE,
            HP_MESSAGE("shard-without-ids",
                       "a shard without the identities of its dumps cannot be merged"));
        hp_err_locate(err, taken->names.at[0], 0);
        return HP_E_DUPLICATE;
    }
    for (size_t k = 0; k < i; k++) {
        struct hp_taken *first = all->at[k];
        if (first->joins || !is_one_set(first, taken)) {
            continue;
        }
        if (first->shards.present & present_of(taken)) {
            return refuse_twice(first, taken, err);
        }
        first->shards.present |= present_of(taken);
        taken->joins = first;
        drop_common(taken);
        break;
    }
    return HP_OK;
}

// Refuse sets if not the same shards of each are given: the totals of a report would be
// of different stacks.
static int compare_sets(const struct hp_taken_all *all, struct hp_err *err) {
    const struct hp_taken *first = all->at[0];
    for (size_t i = 1; i < all->count; i++) {
        const struct hp_taken *taken = all->at[i];
        uint64_t differ = first->shards.present ^ taken->shards.present;
        if (!taken->joins && differ) {
            bool has = (first->shards.present & differ) != 0;
            hp_fail(
                err, HP_E_DUPLICATE,
                HP_MESSAGE(
                    "shard-differs",
                    "shard %u of %u of the dumps in %s is %s, that of these dumps %s"),
                number_of(differ), count_of(taken), first->names.at[0],
                has ? "given" : "not given", has ? "is not" : "is");
            hp_err_locate(err, taken->names.at[0], 0);
            return HP_E_DUPLICATE;
        }
    }
    return HP_OK;
}

// Join the shards of each set; call it before the records of any partial are moved.
// HP_E_DUPLICATE if a shard is given twice, or different sets have different shards.
// *shards becomes the shards that are present, {0} if all are; the parameters of all
// partials are set to these.
static int hp_shard_sets_join(struct hp_taken_all *all, struct hp_shards *shards,
                              struct hp_err *err) {
    int ret = HP_OK;
    if (all->count == 0 || count_of(all->at[0]) == 1) {
        return HP_OK;
    }
    hp_vec_sort(all, by_shard);
    for (size_t i = 0; ret == HP_OK && i < all->count; i++) {
        ret = join(all, i, err);
    }
    ret = ret == HP_OK ? compare_sets(all, err) : ret;
    bool is_whole = all->at[0]->shards.present == hp_shards_all(count_of(all->at[0]));
    *shards = is_whole ? (struct hp_shards){0, 0} : all->at[0]->shards;
    struct hp_taken **taken;
    hp_vec_each (taken, all) {
        struct hp_parameters *made = &(*taken)->partials.parameters;
        made->of[HP_PARAMETER_SHARDS] = is_whole ? 1 : shards->count;
        made->of[HP_PARAMETER_SHARD] = is_whole ? 1 : shards->present;
    }
    return ret;
}

// --- partial inputs --------------------------------------------------------------------

// --- reading ---------------------------------------------------------------------------

// Receives the symbols of a frame from the reader of a partial.
static void take_symbols(void *data, hp_frame_id frame, const struct hp_line *lines,
                         uint32_t count, bool is_disputed) {
    struct hp_taken *taken = data;
    struct hp_embedded_frame account = {.lines = count, .disputed = is_disputed};
    hp_embedded_symbols_put(&taken->embedded, &taken->profile, frame, &account, lines);
}

// Receives the names of a frame that the partial took from a binary.
static void take_file_names(void *data, hp_frame_id frame, const struct hp_line *lines,
                            uint32_t count) {
    struct hp_taken *taken = data;
    struct hp_embedded_frame account = {.lines = count, .is_of_file = true};
    hp_embedded_symbols_put(&taken->embedded, &taken->profile, frame, &account, lines);
}

struct hp_taken *hp_taken_new(const struct hp_profile *like) {
    struct hp_taken *taken = hp_alloc(sizeof *taken);
    hp_profile_init(&taken->profile);
    taken->profile.settings.estimator = like->settings.estimator;
    hp_profile_keep(&taken->profile, &like->keeps);
    // The history of `like` may have been dropped by now.  The builds of single dumps are
    // found by it.
    taken->profile.history.is_kept = like->keeps.history || hp_proves_partials(like);
    taken->partials = (struct hp_partials){
        .profile = &taken->profile,
        .take_symbols = take_symbols,
        .take_file_names = take_file_names,
        .data = taken,
    };
    return taken;
}

int hp_taken_read(struct hp_taken *taken, struct hp_input_stream *stream,
                  const char *name, bool is_base, struct hp_err *err) {
    struct hp_input_window window = {stream, 0};
    struct hp_profile *profile = &taken->profile;
    size_t inputs = profile->inputs.records.count, known = profile->inputs.known.count;
    hp_vec_push(&taken->names, hp_inputs_keep_text(&profile->inputs, hp_span_of(name)));
    taken->is_base = is_base;
    taken->partials.is_base = is_base;
    int ret = hp_partial_read(&taken->partials,
                              (struct hp_block_source){hp_input_window_read, &window},
                              name, err);
    for (size_t i = inputs; i < profile->inputs.records.count; i++) {
        profile->inputs.records.at[i].is_base = is_base;
    }
    for (size_t i = known; i < profile->inputs.known.count; i++) {
        profile->inputs.known.at[i].is_base = is_base;
    }
    return ret;
}

void hp_taken_free(struct hp_taken *taken) {
    hp_profile_done(&taken->profile);
    hp_embedded_symbols_done(&taken->embedded);
    hp_vec_done(&taken->names);
    free(taken);
}

void hp_partial_inputs_done(struct hp_taken_all *all) {
    struct hp_taken **taken;
    hp_vec_each (taken, all) {
        hp_taken_free(*taken);
    }
    hp_vec_done(all);
}

// --- how they were made ----------------------------------------------------------------

// Refuse partials that were merged with different options.
static int compare_parameters(const struct hp_taken_all *all, struct hp_err *err) {
    const struct hp_taken *first = all->at[0];
    int ret = HP_OK;
    for (size_t i = 1; ret == HP_OK && i < all->count; i++) {
        ret = hp_parameters_refuse(&first->partials.parameters, first->names.at[0],
                                   &all->at[i]->partials.parameters,
                                   all->at[i]->names.at[0], err);
    }
    return ret;
}

// Refuse dumps that are read together with partials if their options differ from those of
// the partials.
static int compare_with_dumps(const struct hp_profile *profile,
                              const struct hp_taken *first, struct hp_err *err) {
    struct hp_parameters own = hp_parameters_of(profile);
    const struct hp_parameters *theirs = &first->partials.parameters;
    own.of[HP_PARAMETER_SHARDS] = 1;
    if (!profile->keeps.partial) { // options that matter only for a partial
        own.of[HP_PARAMETER_LABELS] = theirs->of[HP_PARAMETER_LABELS];
        own.of[HP_PARAMETER_THREADS] = theirs->of[HP_PARAMETER_THREADS];
        own.of[HP_PARAMETER_BUILDS] = theirs->of[HP_PARAMETER_BUILDS];
        own.of[HP_PARAMETER_HISTORY] = theirs->of[HP_PARAMETER_HISTORY];
        own.of[HP_PARAMETER_REPLICATES] = theirs->of[HP_PARAMETER_REPLICATES];
    }
    return profile->inputs.records.count > 0
               ? hp_parameters_refuse(&own, "the dumps beside it", theirs,
                                      first->names.at[0], err)
               : HP_OK;
}

void hp_settle_moments(struct hp_profile *profile,
                       const struct hp_read_options *options) {
    bool is_asked = profile->settings.snapshots != HP_SNAPSHOTS_LAST &&
                    profile->settings.snapshots != HP_SNAPSHOTS_EACH;
    for (size_t i = 0; i < options->planned_count && is_asked; i++) {
        const struct hp_report_options *planned = &options->planned[i];
        profile->keeps.moments &=
            hp_reports[planned->kind]->needs_series || planned->kind == HP_REPORT_INFO;
    }
}

// Return whether some dump in the partials has addresses in no mapping or in generated
// code.
static bool have_unmapped(const struct hp_taken_all *all) {
    struct hp_taken *const *taken;
    const struct hp_input_record *input;
    const struct hp_frame *frame;
    bool found = false;
    hp_vec_each (taken, all) {
        hp_vec_each (input, &(*taken)->profile.inputs.records) {
            found |= input->unmapped_addresses > 0;
        }
        hp_vec_each (frame, &(*taken)->profile.frames) {
            found |= hp_frame_is_many(&(*taken)->profile, frame);
        }
    }
    return found;
}

// The reason why partials that were merged with the parameters `made` do not contain what
// the profile keeps; NULL: they do.
static const char *lack_of(const struct hp_profile *profile,
                           const struct hp_read_options *options,
                           const struct hp_taken_all *all) {
    const struct hp_parameters *made = &all->at[0]->partials.parameters;
    if (made->of[HP_PARAMETER_METHOD] != (uint64_t)profile->settings.estimator) {
        return HP_WORDS("partial-estimator", "merged with another --estimator");
    }
    if (profile->keeps.threads && !made->of[HP_PARAMETER_THREADS]) {
        return HP_WORDS("partial-without-threads",
                        "its stacks have no threads. Use merge --by=thread");
    }
    if (profile->keeps.unmapped && !made->of[HP_PARAMETER_UNMAPPED] &&
        (options->planned_count > 0 || options->keep_unmapped) && have_unmapped(all)) {
        return HP_WORDS(
            "partial-without-unmapped",
            "its unmapped frames have no addresses. Use merge --keep-unmapped");
    }
    return profile->settings.has_stamps && !made->of[HP_PARAMETER_BUILDS]
               ? HP_WORDS("partial-without-builds",
                          "it has no builds. Use merge --with-builds")
               : NULL;
}

// The reason why the options cannot be applied to partials; NULL: they can.
static const char *misuse_of(const struct hp_profile *profile,
                             const struct hp_read_options *options,
                             const struct hp_taken_all *all) {
    const struct hp_parameters *made = &all->at[0]->partials.parameters;
    if (profile->shards.count > 0 && options->planned_count > 0 &&
        options->planned->shards > 0) {
        return HP_WORDS("partial-cut-already",
                        "it is a shard already, and the others are not given");
    }
    if (options->thread && profile->inputs.records.count == 0 &&
        made->of[HP_PARAMETER_THREAD] !=
            hp_parameters_of(profile).of[HP_PARAMETER_THREAD]) {
        return made->of[HP_PARAMETER_THREAD]
                   ? HP_WORDS("partial-of-one-thread",
                              "it contains only another thread. Use merge --thread")
                   : HP_WORDS("partial-of-all-threads",
                              "it contains all threads. Use merge --thread");
    }
    if (options->older_than > 0) {
        return HP_WORDS("partial-without-ages",
                        "an aggregate file has no ages of objects");
    }
    if (options->snapshots != HP_SNAPSHOTS_LAST &&
        made->of[HP_PARAMETER_SNAPSHOTS] != (uint64_t)options->snapshots) {
        return HP_WORDS("partial-snapshots", "merged with another --dumps");
    }
    return made->of[HP_PARAMETER_SNAPSHOTS] == HP_SNAPSHOTS_EACH &&
                   !profile->keeps.moments && !profile->keeps.partial
               ? HP_WORDS("partial-of-each-dump",
                          "it contains each dump (--dumps=each). Use trend, info or "
                          "--by=input")
               : NULL;
}

// Refuse reports and options that need data which the partials do not contain.  The error
// names the first partial.
static int check_use(const struct hp_profile *profile,
                     const struct hp_read_options *options,
                     const struct hp_taken_all *all, struct hp_err *err) {
    const char *why = lack_of(profile, options, all);
    why = why ? why : misuse_of(profile, options, all);
    if (why) {
        hp_fail(err, HP_E_USAGE, "%s", hp_words(why));
        hp_err_locate(err, all->at[0]->names.at[0], 0);
    }
    return why ? HP_E_USAGE : HP_OK;
}

// Set in the profile the options that the partials were merged with, those of `first`.
static void take_parameters(struct hp_profile *profile,
                            const struct hp_read_options *options,
                            const struct hp_taken *first) {
    const struct hp_parameters *made = &first->partials.parameters;
    profile->settings.snapshots = (enum hp_snapshots)made->of[HP_PARAMETER_SNAPSHOTS];
    hp_settle_moments(profile, options);
    // All dumps are shown, with the mark of those that would be used.
    if (profile->keeps.moments) {
        profile->settings.snapshots = options->snapshots;
    }
    profile->settings.large_sizes =
        (enum hp_large_sizes)made->of[HP_PARAMETER_LARGE_SIZES];
    profile->settings.wants_labels |= made->of[HP_PARAMETER_LABELS] != 0;
    if (first->partials.thread) {
        profile->settings.thread =
            hp_strtab_add(&profile->strings, hp_span_of(first->partials.thread));
    }
    profile->keeps.threads |= profile->keeps.partial && made->of[HP_PARAMETER_THREADS];
    // With no planned report, keep what the partials have.
    profile->keeps.unmapped &= options->planned_count > 0;
    profile->keeps.unmapped |= made->of[HP_PARAMETER_UNMAPPED] != 0;
    if (profile->keeps.partial) {
        profile->settings.has_stamps = made->of[HP_PARAMETER_BUILDS] != 0;
        profile->settings.metric = made->of[HP_PARAMETER_COLUMN] == HP_COLUMN_INUSE
                                       ? HP_INUSE_SPACE
                                       : HP_ALLOC_SPACE;
    }
}

// --- their dumps -----------------------------------------------------------------------

// Copy a string from one table to another.
static hp_string import(struct hp_strtab *to, const struct hp_strtab *from,
                        hp_string string) {
    return hp_strtab_add(to, hp_strtab_span(from, string));
}

// Move the records of a partial to the profile.  The first ones are moved as a whole: a
// copy of many records would need most of the memory.
static void move_inputs(struct hp_profile *profile, struct hp_profile *from) {
    if (profile->inputs.records.count == 0) {
        hp_vec_done(&profile->inputs.records);
        profile->inputs.records = from->inputs.records;
        memset(&from->inputs.records, 0, sizeof from->inputs.records);
    } else {
        hp_vec_append(&profile->inputs.records, from->inputs.records.at,
                      from->inputs.records.count);
        from->inputs.records.count = 0;
    }
}

// Move the records of the dumps in a partial to the profile, and increase their numbers
// by `number`.  `sources` is the number of partials before this one.
static void take_records(struct hp_profile *profile, struct hp_taken *taken,
                         uint32_t number, uint32_t sources) {
    struct hp_profile *from = &taken->profile;
    uint32_t labels = (uint32_t)profile->inputs.labels.count;
    taken->first_number = number;
    for (size_t i = 0; i < from->inputs.labels.count; i++) {
        struct hp_label label = from->inputs.labels.at[i];
        label.key = import(&profile->strings, &from->strings, label.key);
        label.value = import(&profile->strings, &from->strings, label.value);
        hp_vec_push(&profile->inputs.labels, label);
    }
    for (size_t i = 0; i < from->inputs.records.count; i++) {
        struct hp_input_record *input = &from->inputs.records.at[i];
        hp_string program = {input->identity.program};
        input->identity.program =
            import(&profile->inputs.programs, &from->inputs.programs, program).n;
        input->first_label += labels;
        input->number += number;
        input->source += sources;
        if (input->public.status == HP_INPUT_OTHER_MOMENT && !input->is_group) {
            // Treated as used until the dumps of all inputs are chosen.
            input->public.status = HP_INPUT_USED;
        }
    }
    for (size_t i = 0; i < from->inputs.known.count; i++) {
        from->inputs.known.at[i].source += sources;
    }
    move_inputs(profile, from);
    hp_vec_append(&profile->inputs.known, from->inputs.known.at,
                  from->inputs.known.count);
    hp_vec_append(&profile->inputs.texts, from->inputs.texts.at,
                  from->inputs.texts.count);
    hp_vec_append(&profile->inputs.named, from->inputs.named.at,
                  from->inputs.named.count);
    for (enum hp_diagnostic_kind i = 0; i < HP_DIAGNOSTICS; i++) {
        hp_diagnosed_join(&profile->inputs.diagnosed[0][i],
                          &from->inputs.diagnosed[0][i]);
        hp_diagnosed_join(&profile->inputs.diagnosed[1][i],
                          &from->inputs.diagnosed[1][i]);
    }
    from->inputs.known.count = from->inputs.texts.count = from->inputs.named.count = 0;
}

// --- all -------------------------------------------------------------------------------

// Keep the first partial, by name, that has a section of a later version.
static void note_unknown(struct hp_inputs *inputs, const struct hp_partials *partials) {
    const char *name = partials->unknown_in;
    if (name && (!inputs->later_name || strcmp(name, inputs->later_name) < 0)) {
        inputs->later_name = name;
        inputs->later_section = partials->unknown;
    }
}

int hp_partial_inputs_take_records(struct hp_profile *profile, struct hp_taken_all *all,
                                   const struct hp_read_options *options,
                                   uint32_t *numbers, struct hp_err *err) {
    uint32_t sources = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        *numbers = input->number >= *numbers ? input->number + 1 : *numbers;
    }
    if (all->count == 0) {
        return HP_OK;
    }
    int ret = compare_parameters(all, err);
    ret = ret == HP_OK ? hp_shard_sets_join(all, &profile->shards, err) : ret;
    ret = ret == HP_OK ? check_use(profile, options, all, err) : ret;
    ret = ret == HP_OK ? compare_with_dumps(profile, all->at[0], err) : ret;
    if (ret != HP_OK) {
        return ret;
    }
    take_parameters(profile, options, all->at[0]);
    struct hp_taken **taken;
    hp_vec_each (taken, all) {
        uint32_t count = (uint32_t)(*taken)->profile.inputs.records.count;
        const struct hp_taken *joins = (*taken)->joins;
        take_records(profile, *taken, joins ? joins->first_number : *numbers, sources);
        *numbers += count;
        sources += (*taken)->partials.count;
        note_unknown(&profile->inputs, &(*taken)->partials);
    }
    return HP_OK;
}

// Return whether a process has dumps in several partials, or in a partial and among the
// dumps that are given.
static bool is_across(const struct hp_profile *profile,
                      const struct hp_process *process) {
    const uint32_t *dumps = profile->inputs.processes.dumps.at + process->first;
    bool across = false;
    for (uint32_t i = 1; i < process->dumps; i++) {
        across |= profile->inputs.records.at[dumps[i]].source !=
                  profile->inputs.records.at[dumps[0]].source;
    }
    return across;
}

int hp_partial_inputs_settle(struct hp_profile *profile,
                             const struct hp_read_options *options, struct hp_err *err) {
    bool is_info = options->planned_count > 0 && options->planned->kind == HP_REPORT_INFO;
    struct hp_input_record *input;
    hp_partial_inputs_count(profile);
    hp_vec_each (input, &profile->inputs.records) {
        if (input->source == 0 || input->is_group || !hp_input_is_used(input)) {
            continue;
        }
        const struct hp_process *process =
            &profile->inputs.processes.all.at[input->process];
        uint32_t chosen = process->chosen;
        bool counts =
            chosen == HP_NO_INPUT || &profile->inputs.records.at[chosen] == input;
        if (!input->is_added && !is_info) { // info shows each dump
            input->public.status = HP_INPUT_OTHER_MOMENT;
        }
        bool is_lost = profile->keeps.moments && !input->is_added && !is_info;
        if (is_lost || (!profile->keeps.moments && counts != input->is_added)) {
            hp_fail(err, is_across(profile, process) ? HP_E_DUPLICATE : HP_E_USAGE,
                    HP_MESSAGE(
                        "partial-chose-other",
                        "merge used another dump of its process. Use merge --dumps=each "
                        "to keep all"));
            hp_err_locate(err, input->public.name, 0);
            return err->code;
        }
    }
    return HP_OK;
}

// Add `first` to all numbers of inputs in a history.
static void renumber(struct hp_history *history, uint32_t first) {
    struct hp_history_block *block;
    hp_vec_each (block, &history->blocks) {
        block->input += first;
    }
}

// Add all label sets of a partial to the profile, even unused ones.  A shard may have
// label sets that only stacks of other shards use.
static void import_sets(struct hp_profile *profile, const struct hp_profile *from) {
    struct hp_tag_import tags = {.from_sets = &from->tags.sets,
                                 .from_strings = &from->strings,
                                 .sets = &profile->tags.sets,
                                 .strings = &profile->strings};
    for (uint32_t i = 1; i < from->tags.sets.strings.count; i++) {
        (void)hp_tags_import(&tags, (hp_string){i});
    }
    hp_tag_import_done(&tags);
}

// Add the stacks and symbols of a partial to the profile.  Numbers of inputs in it are
// increased by taken->first_number.
static void add(struct hp_profile *profile, struct hp_embedded_symbols *embedded,
                struct hp_taken *taken) {
    renumber(&taken->profile.history, taken->first_number);
    hp_vec_done(&taken->profile.variation.group_of); // it has the old numbers of dumps
    struct hp_sample_type *type;
    hp_vec_each (type, &taken->profile.types.of) {
        renumber(&type->history, taken->first_number);
        struct hp_sample_input *input;
        hp_vec_each (input, &type->inputs) {
            input->number += taken->first_number;
        }
    }
    struct hp_module *module;
    // Every shard describes the same dumps: count them once.
    hp_vec_each (module, &taken->profile.modules) {
        module->dumps = taken->joins ? 0 : module->dumps;
    }
    hp_embedded_symbols_absorb(embedded, profile, &taken->embedded, &taken->profile);
    if (profile->shards.count > 0) {
        import_sets(profile, &taken->profile);
    }
    hp_profile_absorb(profile, &taken->profile);
}

// Join shard number `first` and the other shards of its set to a whole, let the prover
// find the builds of its modules, and add it to the profile.
static void add_shards(struct hp_profile *profile, struct hp_embedded_symbols *embedded,
                       struct hp_taken_all *all, size_t first) {
    struct hp_taken *whole = hp_taken_new(profile);
    whole->profile.shards = profile->shards;
    for (size_t i = first; i < all->count; i++) {
        if (i == first || all->at[i]->joins == all->at[first]) {
            add(&whole->profile, &whole->embedded, all->at[i]);
        }
    }
    hp_partial_prove(&whole->profile, &whole->embedded, profile->settings.prover);
    add(profile, embedded, whole);
    hp_taken_free(whole);
}

void hp_partial_inputs_add(struct hp_profile *profile,
                           struct hp_embedded_symbols *embedded,
                           struct hp_taken_all *all) {
    for (size_t i = 0; i < all->count; i++) {
        struct hp_taken *taken = all->at[i];
        // A shard of a whole set is one no more by its parameters.
        bool is_shard = taken->shards.count > 0;
        if (!hp_proves_partials(profile) || !is_shard) {
            add(profile, embedded, taken);
        } else if (!taken->joins) {
            add_shards(profile, embedded, all, i);
        }
    }
    hp_partial_inputs_done(all);
}

int hp_taken_join(struct hp_taken *to, struct hp_taken *from, struct hp_prover *prover,
                  struct hp_err *err) {
    const char *name = from->names.at[0];
    int ret = to->names.count == 0
                  ? HP_OK
                  : hp_parameters_refuse(&to->partials.parameters, to->names.at[0],
                                         &from->partials.parameters, name, err);
    if (ret == HP_OK) {
        struct hp_partials partials = from->partials;
        partials.profile = &to->profile;
        partials.data = to;
        partials.dumps += to->partials.dumps;
        partials.count += to->partials.count;
        if (to->partials.unknown_in) {
            hp_partials_note_unknown(&partials, to->partials.unknown_in,
                                     to->partials.unknown);
        }
        hp_partial_prove(&from->profile, &from->embedded, prover);
        take_records(&to->profile, from, (uint32_t)to->profile.inputs.records.count,
                     to->partials.count);
        add(&to->profile, &to->embedded, from);
        hp_vec_push(&to->names, name);
        to->partials = partials;
        to->is_base = from->is_base;
    }
    hp_taken_free(from);
    return ret;
}

// --- digests ---------------------------------------------------------------------------

// Compute the digest of the partial in a stream, by reading all its blocks.
static int digest_of(struct hp_input_stream *stream, char digest[HP_DIGEST_SIZE],
                     struct hp_err *err) {
    struct hp_input_window window = {stream, 0};
    struct hp_block_reader blocks;
    int ret = hp_block_reader_init(
        &blocks, (struct hp_block_source){hp_input_window_read, &window}, err);
    ret = ret == HP_OK ? hp_block_next(&blocks, err) : ret;
    while (ret == HP_OK && blocks.section != HP_SECTION_END) {
        ret = hp_block_next(&blocks, err);
    }
    for (size_t i = 0; ret == HP_OK && i < HP_SHA256_SIZE; i++) {
        snprintf(digest + 2 * i, 3, "%02x", blocks.digest[i]);
    }
    hp_block_reader_done(&blocks);
    return ret;
}

int hp_partial_digest(const char *path, char digest[HP_DIGEST_SIZE], struct hp_err *err) {
    struct hp_input_stream stream = {0};
    int ret = hp_input_stream_open(&stream, path, 0, err);
    if (ret == HP_OK) {
        ret = digest_of(&stream, digest, err);
    }
    hp_input_stream_done(&stream);
    if (ret != HP_OK) {
        hp_err_locate(err, strcmp(path, "-") ? path : "standard input", 0);
    }
    return ret;
}
