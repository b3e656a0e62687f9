// Reading inputs, step by step, from the end of this file: hp_read_inputs() prepares a
// job; read_all() runs the threads, finds duplicates and processes, chooses the dumps
// that are used, and reads again if the choice was not the expected one; refuse() decides
// whether the result is acceptable.
#include "lib/read.h"

#include "base/files.h"
#include "base/hash.h"
#include "inputs/dump_name.h"
#include "lib/cut_dumps.h"
#include "lib/metadata.h"
#include "lib/workers.h"
#include "model/ages.h"
#include "partial/partial.h"
#include "rows/batch.h"
#include "sym/symbolizer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Drop the errors of stacks from the profile if they are unknown: a difference of two
// profiles does not contain the uncertainty of either, and folded stacks do not say how
// they were sampled.
static void forget_unknown_errors(struct hp_profile *profile) {
    const struct hp_input_summary *summary = &profile->inputs.summary[HP_SIDE_ALL];
    if (!summary->is_difference && summary->folded == 0) {
        return;
    }
    profile->errors.are_unknown = true;
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_stack_errors_done(&profile->errors.stacks[i]);
    }
}

// --- what came of it ----------------------------------------------------------------

// Order inputs by name, so that the order in which they are given changes nothing, not
// even a warning.  Members of several archives may have the same name.
static int by_name(const void *left, const void *right) {
    const struct hp_input_record *a = left, *b = right;
    int order = strcmp(a->public.name, b->public.name);
    if (order == 0) {
        order = strcmp(a->archive ? a->archive : "", b->archive ? b->archive : "");
    }
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

// Write the options that get past `skipped` inputs; none if no option does.
static void name_options(const struct hp_profile *profile, size_t skipped, char *text,
                         size_t room) {
    size_t damaged = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        damaged += input->public.status == HP_INPUT_SKIPPED && input->public.can_be_used;
    }
    if (profile->inputs.summary[HP_SIDE_ALL].used > 0) {
        hp_message_print(
            text, room,
            HP_MESSAGE("option-max-skipped", ". --max-skipped=%zu skips them"), skipped);
    }
    if (damaged > 0) {
        size_t used = strlen(text);
        hp_message_print(text + used, room - used,
                         HP_MESSAGE("option-keep-damaged",
                                    "%s --damaged=use reads damaged dumps"),
                         used > 0 ? "," : ".");
    }
}

// Fail because more inputs than allowed were skipped.
static int refuse_skipped(const struct hp_profile *profile, size_t skipped,
                          struct hp_err *err) {
    const struct hp_input_summary *summary = &profile->inputs.summary[HP_SIDE_ALL];
    bool all_limits = summary->left_out[HP_REASON_LIMIT] == skipped;
    char options[128] = "";
    name_options(profile, skipped, options, sizeof options);
    return hp_fail(err, all_limits ? HP_E_LIMIT : HP_E_FORMAT,
                   HP_MESSAGE("too-many-skipped", "%zu of %zu inputs cannot be used%s"),
                   skipped, summary->all, options);
}

// Return the name of an input that is used and is folded stacks, or of one that is not.
static const char *name_of(const struct hp_profile *profile, bool is_folded) {
    const char *name = NULL;
    for (size_t i = 0; i < profile->inputs.records.count && !name; i++) {
        const struct hp_input_record *input = &profile->inputs.records.at[i];
        bool is = (input->producer == HP_PRODUCER_FOLDED) == is_folded;
        name = hp_input_is_used(input) && is ? input->public.name : NULL;
    }
    return name ? name : "";
}

// Fail because folded stacks are given together with dumps.
static int refuse_mixture(const struct hp_profile *profile, struct hp_err *err) {
    return hp_fail(err, HP_E_FORMAT,
                   HP_MESSAGE("folded-with-dumps",
                              "%s has folded stacks, and %s is a dump. How folded stacks "
                              "were sampled is unknown: use them separately"),
                   name_of(profile, true), name_of(profile, false));
}

// Return how many inputs of partials were skipped when these were merged.
static size_t skipped_before(const struct hp_profile *profile) {
    size_t skipped = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        bool is_skipped = input->source != 0 && input->public.status == HP_INPUT_SKIPPED;
        skipped += is_skipped ? 1 + input->others : 0;
    }
    return skipped;
}

// Return whether the total of all stacks can be represented.  Each stack can, but their
// sum may not.
static bool total_fits(const struct hp_profile *profile) {
    struct hp_values total = profile->runs.total;
    bool fits = !profile->overflow && !profile->types.overflow;
    const struct hp_stack *stack;
    hp_vec_each (stack, &profile->stacks) {
        fits &= hp_values_add(&total, &stack->values);
    }
    return fits;
}

// Return an error if too many inputs were skipped, if nothing is left to report, or if
// the total is too large.
static int judge(const struct hp_profile *profile, const struct hp_read_options *options,
                 struct hp_err *err) {
    const struct hp_input_summary *summary = &profile->inputs.summary[HP_SIDE_ALL];
    size_t skipped = hp_input_summary_skipped(summary) - hp_cut_dumps_count(profile);
    double share = options->max_skipped_share * (double)summary->all;
    skipped -= options->judges_partials ? 0 : skipped_before(profile);
    if (skipped > options->max_skipped && (double)skipped > share) {
        return refuse_skipped(profile, skipped, err);
    }
    if (summary->used == 0) {
        const char *why = summary->left_out[HP_REASON_YOUNG] > 0
                              ? "inputs were modified too recently (--min-age)"
                              : "no input could be used";
        return hp_fail(err, HP_E_EMPTY,
                       HP_MESSAGE("nothing-to-report", "nothing to report: %s"), why);
    }
    if (profile->inputs.later_section > 0 && profile->keeps.partial) {
        hp_fail(err, HP_E_UNSUPPORTED,
                HP_MESSAGE("partial-section-lost",
                           "section %u is of a later version, and would be lost. Merge "
                           "with that version"),
                profile->inputs.later_section);
        hp_err_locate(err, profile->inputs.later_name, 0);
        return HP_E_UNSUPPORTED;
    }
    if (summary->folded > 0 && summary->folded < summary->used) {
        return refuse_mixture(profile, err);
    }
    if (options->older_than > 0 && profile->inputs.summary[HP_SIDE_ALL].listing == 0) {
        return hp_fail(err, HP_E_EMPTY, HP_NO_AGES_KNOWN);
    }
    if (options->thread && profile->stacks.count + profile->runs.stacks == 0) {
        return hp_fail(err, HP_E_EMPTY,
                       HP_MESSAGE("nothing-of-thread", "no input has a thread %s%s"),
                       options->thread,
                       options->older_than > 0 ? " with objects so old" : "");
    }
    if (!total_fits(profile)) {
        return hp_fail(err, HP_E_LIMIT,
                       HP_MESSAGE("sum-too-large", "a sum exceeds 2^127 units"));
    }
    return HP_OK;
}

// Move the names of inputs to the profile, where they live as long as it does; the paths
// of the caller need not.
static void adopt_names(struct hp_profile *profile, const struct hp_input_queue *queue) {
    const struct hp_member *member;
    hp_vec_each (member, &queue->members) {
        if (member->name) {
            hp_vec_push(&profile->inputs.texts, member->name);
        }
    }
    struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        if (!input->archive) {
            struct hp_span name = hp_span_of(input->public.name);
            input->public.name = hp_inputs_keep_text(&profile->inputs, name);
        }
    }
}

// Append all archives to the queue.
static void queue_archives(struct hp_input_queue *queue, struct hp_profile *profile,
                           const struct hp_read_options *options) {
    hp_vec_append(&queue->archives, options->tars, options->tar_count);
    const char **path;
    hp_vec_each (path, &queue->archives) {
        *path = hp_inputs_keep_text(&profile->inputs, hp_span_of(*path));
    }
}

// --- builds ----------------------------------------------------------------------------

// Return whether a file is an ELF file; false for files that are named like dumps.
static bool is_program(const char *path) {
    char head[4];
    struct stat info;
    // Dumps are recognized by name, so that ten thousand dumps need not be opened twice.
    if (hp_span_ends(hp_span_of(path), ".heap") || stat(path, &info) != 0 ||
        !S_ISREG(info.st_mode)) {
        return false;
    }
    int fd = hp_open_file(NULL, path);
    bool is = fd >= 0 && hp_read_at(fd, head, sizeof head, 0) == sizeof head &&
              memcmp(head, "\177ELF", sizeof head) == 0;
    if (fd >= 0) {
        close(fd);
    }
    return is;
}

// Create the prover.  ELF files among the inputs are binaries that the dumps may have
// run, whatever their names.
static struct hp_prover *make_prover(const char *const *paths, size_t count,
                                     const struct hp_symbol_options *symbols) {
    HP_VEC(char *) programs = {0};
    for (size_t i = 0; i < count; i++) {
        char *path = is_program(paths[i]) ? realpath(paths[i], NULL) : NULL;
        if (path) {
            hp_vec_push(&programs, path);
        }
    }
    struct hp_prover *prover =
        hp_prover_new(symbols, (const char *const *)programs.at, programs.count);
    for (size_t i = 0; i < programs.count; i++) {
        free(programs.at[i]);
    }
    hp_vec_done(&programs);
    return prover;
}

// --- choice of dumps -------------------------------------------------------------------

// Names of dumps that are put in order.
struct dump_names {
    const struct hp_job *job;
    const char *const *at; // a NULL is in the place of an archive that cannot be read
    size_t count;
};

// Order names by how likely their dump is used, because the dump of a process that is
// read first is added.  The newest comes first; exit dumps come last where they are not
// used.
static int by_likely_choice(const void *left, const void *right, void *context) {
    const struct dump_names *names = context;
    uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
    const char *a = names->at[i], *b = names->at[k];
    const struct hp_settings *settings = &names->job->profile->settings;
    bool leaves_exits = settings->snapshots != HP_SNAPSHOTS_FINAL &&
                        hp_column_of(settings->metric) == HP_COLUMN_INUSE;
    if (!a || !b) {
        return (a == NULL) - (b == NULL);
    }
    int order = !leaves_exits
                    ? 0
                    : (hp_dump_name_of(a).kind == 'f') - (hp_dump_name_of(b).kind == 'f');
    order = order ? order : strverscmp(b, a);
    return order ? order : (i > k) - (i < k);
}

// Set for each name whether it is that of the first dump of its process, in an order;
// true if the name shows no process.  The first `bases` names are those of a base.
static void find_newest(const struct dump_names *names, const uint32_t *order,
                        size_t bases, bool *is_newest) {
    struct hp_contents known;
    hp_contents_init(&known);
    for (size_t i = 0; i < names->count; i++) {
        const char *path = names->at[order[i]] ? names->at[order[i]] : "";
        struct hp_dump_name name = hp_dump_name_of(path);
        bool is_base = order[i] < bases;
        size_t size = name.kind ? (size_t)(name.series.at + name.series.size - path) : 0;
        uint64_t hash = hp_hash_bytes(path, size, hp_hash_key());
        is_newest[order[i]] =
            !name.kind || hp_contents_add(&known, (struct hp_digest){{hash, is_base}});
    }
    hp_contents_done(&known);
}

// Return the numbers of names in the order in which to read them.  The caller frees the
// result.
static uint32_t *order_names(const struct dump_names *names) {
    uint32_t *order = hp_alloc(names->count * sizeof *order);
    for (uint32_t i = 0; i < names->count; i++) {
        order[i] = i;
    }
    if (!names->job->adds_all) {
        qsort_r(order, names->count, sizeof *order, by_likely_choice,
                (void *)(uintptr_t)names);
    }
    return order;
}

// Return the numbers of the files in the order in which to read them.  The caller frees
// the result.
static uint32_t *reading_order(const struct hp_job *job) {
    struct dump_names names = {job, job->queue.paths, job->queue.count};
    return order_names(&names);
}

// Return for each path whether it is the first dump of its process, by name, in the order
// of reading; true if the name shows no process.  The caller frees the result.
static bool *newest_names(const struct hp_job *job, const uint32_t *order) {
    struct dump_names names = {job, job->queue.paths, job->queue.count};
    bool *is_newest = hp_alloc(job->queue.count);
    find_newest(&names, order, job->options->base_count, is_newest);
    return is_newest;
}

// Append to *is_newest whether each member of the archives is the first dump of its
// process, by name, so that members need not be read again.  Nothing is appended if an
// archive can be read only once.  Returns the new length.
static size_t find_newest_members(const struct hp_job *job, bool **is_newest) {
    size_t files = job->queue.count;
    struct hp_member_names listed = {0};
    if (job->adds_all || job->queue.archives.count == 0 || !hp_job_has_files_only(job)) {
        return files;
    }
    hp_input_queue_list(&job->queue, &listed);
    struct dump_names names = {job, (const char *const *)listed.all.at, listed.all.count};
    uint32_t *order = order_names(&names);
    bool *all = hp_alloc(files + names.count);
    memcpy(all, *is_newest, files);
    find_newest(&names, order, 0, all + files);
    free(*is_newest);
    *is_newest = all;
    free(order);
    hp_member_names_done(&listed);
    return files + names.count;
}

// Return whether input i is an exit dump that is left out because it does not belong to a
// series of memory in use.
static bool is_left_exit(const struct hp_profile *profile, size_t i) {
    const struct hp_input_record *input = &profile->inputs.records.at[i];
    return hp_profile_skips_exits(profile) && hp_input_is_used(input) &&
           hp_process_is_exit(&profile->inputs.processes.all.at[input->process],
                              (uint32_t)i);
}

// Return whether an input is used, according to the choice among the dumps of its
// process.
static bool counts(const struct hp_profile *profile, size_t i) {
    const struct hp_input_record *input = &profile->inputs.records.at[i];
    if (!hp_input_is_used(input) || is_left_exit(profile, i)) {
        return false;
    }
    const struct hp_process *process = &profile->inputs.processes.all.at[input->process];
    uint32_t chosen = process->chosen;
    return profile->keeps.moments || chosen == HP_NO_INPUT || chosen == i;
}

// Group inputs into processes, and choose a dump of each.
static void find_processes(struct hp_profile *profile) {
    hp_processes_identify(profile);
    hp_processes_choose(&profile->inputs.processes, profile->inputs.records.at,
                        profile->settings.snapshots, profile->settings.metric);
}

// Return the index of the record with this number, which must exist.
static size_t place_of(const struct hp_profile *profile, uint32_t number) {
    size_t place = 0;
    while (profile->inputs.records.at[place].number != number) {
        place++;
    }
    return place;
}

// Turn lone inputs back into records, because inputs that are read again need records.
// The records are sorted again, so *duplicate gets new indices.
static void give_back(struct hp_job *job, struct hp_duplicate *duplicate) {
    struct hp_profile *profile = job->profile;
    bool is_found = duplicate->again < profile->inputs.records.count;
    uint32_t first = is_found ? profile->inputs.records.at[duplicate->first].number : 0;
    uint32_t again = is_found ? profile->inputs.records.at[duplicate->again].number : 0;
    hp_lone_inputs_give_back(&job->lone, profile, &job->queue);
    hp_vec_sort(&profile->inputs.records, by_name);
    hp_inputs_identify(profile);
    find_processes(profile);
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        job->numbers = input->number >= job->numbers ? input->number + 1 : job->numbers;
    }
    *duplicate = is_found ? (struct hp_duplicate){place_of(profile, first),
                                                  place_of(profile, again)}
                          : (struct hp_duplicate){SIZE_MAX, SIZE_MAX};
}

// Return whether exactly the dumps that are used have been added.
static bool is_choice_settled(const struct hp_profile *profile) {
    bool is_settled = true;
    for (size_t i = 0; i < profile->inputs.records.count; i++) {
        const struct hp_input_record *input = &profile->inputs.records.at[i];
        is_settled &= input->source > 0 || counts(profile, i) == input->is_added;
    }
    return is_settled;
}

// Read all used inputs again, and, if rows are collected, the other dumps of their
// processes.  Numbers of inputs are below job->numbers.
static void read_again(struct hp_job *job) {
    struct hp_profile *profile = job->profile;
    bool *is_wanted = hp_alloc(job->numbers), *is_chosen = hp_alloc(job->numbers);
    uint32_t *record_of = hp_alloc(job->numbers * sizeof *record_of);
    for (uint32_t i = 0; i < profile->inputs.records.count; i++) {
        const struct hp_input_record *input = &profile->inputs.records.at[i];
        if (input->source == 0) { // stacks of a partial cannot be removed
            bool has_rows =
                job->options->batch && input->public.status == HP_INPUT_OTHER_MOMENT;
            is_chosen[input->number] = counts(profile, i);
            is_wanted[input->number] = is_chosen[input->number] || has_rows;
            record_of[input->number] = i;
            job->progress.total += is_wanted[input->number];
        }
    }
    job->is_chosen = is_chosen;
    hp_job_read_again(job, is_wanted, record_of);
    job->is_chosen = NULL;
    free(is_chosen);
    free(record_of);
    free(is_wanted);
}

// Mark the dumps that are not used as HP_INPUT_OTHER_MOMENT; read again if other dumps
// were added than are used.
static void settle_choice(struct hp_job *job) {
    struct hp_profile *profile = job->profile;
    bool is_settled = is_choice_settled(profile);
    for (size_t i = 0; i < profile->inputs.records.count; i++) {
        struct hp_input_record *input = &profile->inputs.records.at[i];
        bool may_be_left = input->source == 0 || is_left_exit(profile, i);
        if (hp_input_is_used(input) && may_be_left && !counts(profile, i)) {
            input->public.status = HP_INPUT_OTHER_MOMENT;
            hp_input_set_err(input, NULL);
        }
    }
    if (!is_settled) {
        read_again(job);
    }
}

// Put the name of each input into its error.
static void locate_errors(struct hp_profile *profile) {
    struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        if (input->err) {
            hp_err_locate(input->err, input->public.name, input->err->line);
        }
    }
}

// Warn that dumps have different names for some frames; `disputed`: the number of these.
static void warn_of_names(struct hp_profile *profile, size_t disputed) {
    if (disputed > 0) {
        hp_profile_warn(
            profile,
            HP_MESSAGE(
                "addresses-disputed",
                "%zu address%s different names: they may be from different builds"),
            disputed, disputed == 1 ? " has" : "es have");
    }
}

// Give the frames of the profile the names that inputs and maps of generated code have.
static void settle_names(struct hp_job *job) {
    warn_of_names(job->profile, hp_embedded_symbols_settle(&job->embedded, job->profile));
    hp_embedded_symbols_done(&job->embedded);
    hp_perf_maps_warn(&job->maps, job->profile);
}

// Name the frames of dumps that were read for their rows only.
static void settle_aside(struct hp_job *job) {
    struct hp_profile *aside = &job->options->batch->aside;
    (void)hp_embedded_symbols_settle(&job->embedded_aside, aside);
    hp_embedded_symbols_done(&job->embedded_aside);
    hp_restore_names(aside, job->options->sandbox);
    hp_profile_sort(aside, NULL, 0);
}

// Take over the records of partials, unless an error was recorded while they were read.
static int take_partials(struct hp_job *job, struct hp_err *err) {
    if (job->run_err.code != HP_OK || job->partial_err.code != HP_OK) {
        *err = job->run_err.code != HP_OK ? job->run_err : job->partial_err;
        return err->code;
    }
    return hp_partial_inputs_take_records(job->profile, &job->taken, job->options,
                                          &job->numbers, err);
}

// Return whether all used inputs are files that can be read once more.
static bool can_read_again(const struct hp_job *job) {
    bool can = true;
    for (size_t i = 0; i < job->profile->inputs.records.count; i++) {
        const struct hp_input_record *input = &job->profile->inputs.records.at[i];
        struct stat info;
        bool is_file = !input->archive && stat(input->public.name, &info) == 0 &&
                       S_ISREG(info.st_mode);
        can &= is_file || input->source > 0 || !counts(job->profile, i);
    }
    return can;
}

// Find libraries that had been unloaded, now that all dumps of a process are known, and
// read the dumps again with them.  A partial contains only what its own dump shows,
// whatever is merged with it; and if all dumps of a process are added up, each one is
// used unchanged.
static void place_unloaded(struct hp_job *job, struct hp_duplicate *duplicate) {
    struct hp_profile *profile = job->profile;
    if (profile->keeps.partial || job->groups_inputs ||
        job->options->snapshots >= HP_SNAPSHOTS_EACH) {
        return;
    }
    job->unloaded = hp_unloaded_find(profile, job->options->max_input_size);
    if (job->unloaded && job->lone.alone > 0) {
        give_back(job, duplicate);
    }
    if (job->unloaded && can_read_again(job)) {
        read_again(job);
    }
}

// Choose the dumps that are used, read again if necessary, and check that partials
// contain the values of the same dumps.  *duplicate gets new indices if records are
// sorted again.
static int settle(struct hp_job *job, struct hp_duplicate *duplicate,
                  struct hp_err *err) {
    if (job->lone.alone > 0 && !is_choice_settled(job->profile)) {
        give_back(job, duplicate);
    }
    settle_choice(job);
    place_unloaded(job, duplicate);
    if (job->run_err.code != HP_OK) { // an error of the second read
        *err = job->run_err;
        return err->code;
    }
    return hp_partial_inputs_settle(job->profile, job->options, err);
}

// Refuse --maps if dumps of two processes use it: in another process other files are at
// these addresses.
static int refuse_given_map(const struct hp_profile *profile, struct hp_err *err) {
    const struct hp_input_record *first = NULL, *input;
    hp_vec_each (input, &profile->inputs.records) {
        bool takes = input->takes_map && hp_input_is_used(input);
        if (takes && first && input->process != first->process) {
            return hp_fail(
                err, HP_E_USAGE,
                HP_MESSAGE("maps-of-two",
                           "--maps is for one process, but %s and %s are of two"),
                first->public.name, input->public.name);
        }
        first = takes && !first ? input : first;
    }
    return HP_OK;
}

// Read all inputs, and choose the dumps that are used.  *duplicate becomes the first pair
// of inputs with one content; its members are SIZE_MAX or the number of inputs if there
// is none.
static int read_all(struct hp_job *job, struct hp_duplicate *duplicate,
                    struct hp_err *err) {
    struct hp_profile *profile = job->profile;
    const struct hp_read_options *options = job->options;
    uint32_t *order = reading_order(job);
    bool *is_newest = newest_names(job, order);
    job->queue.order = order;
    job->named_count = find_newest_members(job, &is_newest);
    job->is_newest = is_newest;
    hp_job_read(job);
    hp_contents_done(&job->claims); // now: the next steps need as much memory
    hp_contents_done(&job->contents);
    hp_contents_done(&job->files);
    hp_contents_done(&job->texts);
    hp_lone_inputs_settle(&job->lone, profile, &job->queue, job->taken.count > 0);
    int ret = take_partials(job, err);
    if (ret != HP_OK) { // the partials are useless, and are not described
        hp_partial_inputs_done(&job->taken);
    }
    hp_vec_sort(&profile->inputs.records, by_name);
    hp_inputs_identify(profile);
    ret = ret == HP_OK ? hp_partial_inputs_refuse(profile, &job->taken, err) : ret;
    *duplicate = options->count_duplicates ? (struct hp_duplicate){SIZE_MAX, SIZE_MAX}
                                           : hp_duplicates_settle(&profile->inputs);
    if (ret == HP_OK && options->label_from) {
        ret = hp_labels_set(profile, options->label_from, err);
    }
    hp_cut_dumps_settle(profile);
    find_processes(profile);
    ret = ret == HP_OK ? refuse_given_map(profile, err) : ret;
    ret = ret == HP_OK ? settle(job, duplicate, err) : ret;
    hp_lone_inputs_compare_samples(&job->lone, profile, &job->queue);
    hp_lone_inputs_record(&job->lone, profile, &job->queue);
    hp_partial_inputs_add(profile, &job->embedded, &job->taken);
    settle_names(job);
    hp_restore_names(profile, options->sandbox);
    if (options->batch) {
        settle_aside(job);
    }
    job->queue.order = NULL;
    job->is_newest = NULL;
    free(is_newest);
    free(order);
    return ret;
}

// Refuse a partial with more label sets than it can store.
static int refuse_labels(const struct hp_profile *profile, struct hp_err *err) {
    size_t sets = profile->keeps.partial ? hp_label_sets_count(profile) : 0;
    return sets > HP_PARTIAL_LABEL_SETS ? hp_labels_refuse(profile, sets, err) : HP_OK;
}

// Return an error if the result of a read is not acceptable: an input is given twice, too
// many were skipped, nothing is left, or there are too many labels.
static int refuse(const struct hp_profile *profile, const struct hp_read_options *options,
                  struct hp_duplicate duplicate, struct hp_err *err) {
    size_t count = profile->inputs.records.count;
    bool is_refused = duplicate.again < count && !options->skip_duplicates;
    if (!is_refused && options->base_count > 0 && !options->count_duplicates) {
        duplicate = hp_duplicates_across(&profile->inputs);
        is_refused = duplicate.again < count;
    }
    if (is_refused) {
        return hp_duplicates_refuse(&profile->inputs, duplicate, err);
    }
    bool is_one_of_each =
        !profile->keeps.moments && profile->settings.snapshots < HP_SNAPSHOTS_EACH;
    int ret = is_one_of_each ? hp_duplicates_of_processes(&profile->inputs, err) : HP_OK;
    ret = ret == HP_OK ? judge(profile, options, err) : ret;
    return ret == HP_OK ? refuse_labels(profile, err) : ret;
}

// Read the maps that options name, then all inputs.
static int read_with_maps(struct hp_job *job, struct hp_duplicate *duplicate,
                          struct hp_err *err) {
    int ret = hp_given_map_read(&job->given, job->options, err);
    ret = ret == HP_OK ? hp_perf_maps_init(&job->maps, job->options, err) : ret;
    ret = ret == HP_OK ? read_all(job, duplicate, err) : ret;
    hp_given_map_done(&job->given);
    hp_perf_maps_done(&job->maps);
    return ret;
}

// Refuse more label sets than a partial can store before anything is read, as far as
// paths show them.
static int foresee_labels(struct hp_job *job, struct hp_err *err) {
    const struct hp_read_options *options = job->options;
    if (!options->label_from || !job->profile->keeps.partial) {
        return HP_OK;
    }
    uint32_t *order = reading_order(job);
    bool *is_newest = newest_names(job, order);
    int ret =
        hp_labels_foresee(job->profile, job->queue.paths, job->queue.count,
                          job->adds_all ? NULL : is_newest, options->label_from, err);
    free(is_newest);
    free(order);
    return ret;
}

// Free what only reading needs, and complete the records of inputs.
static void finish(struct hp_job *job) {
    struct hp_profile *profile = job->profile;
    hp_unloaded_free(job->unloaded);
    adopt_names(profile, &job->queue);
    hp_input_queue_done(&job->queue);
    locate_errors(profile);
    hp_inputs_summarize(&profile->inputs);
    forget_unknown_errors(profile);
}

int hp_read_inputs(struct hp_profile *profile, const char *const *paths, size_t count,
                   const struct hp_read_options *options, struct hp_err *err) {
    struct hp_job job = {
        .options = options,
        .profile = profile,
        .adds_all = profile->keeps.moments || options->snapshots >= HP_SNAPSHOTS_EACH ||
                    (count == 1 && options->tar_count == 0),
        .start = time(NULL),
        .queue = {.paths = paths,
                  .count = count,
                  .limit = options->max_input_size,
                  .waits = options->wait},
        .progress = {.phase = "reading", .total = count},
    };
    struct hp_duplicate duplicate = {0};
    int ret = foresee_labels(&job, err);
    if (ret != HP_OK) {
        return ret;
    }
    if (options->symbols && !profile->settings.prover) {
        profile->settings.prover = make_prover(paths, count, options->symbols);
        profile->settings.owns_prover = true;
    }
    pthread_mutex_init(&job.lock, NULL);
    hp_input_queue_init(&job.queue);
    queue_archives(&job.queue, profile, options);
    hp_contents_init(&job.contents);
    hp_contents_init(&job.claims);
    hp_contents_init(&job.files);
    hp_contents_init(&job.texts);
    job.groups_inputs =
        !options->maps && !options->batch && hp_input_groups_suffice(profile, options);
    job.sets_lone_aside = !options->maps && !job.groups_inputs && !options->batch &&
                          hp_lone_inputs_suffice(profile, options);
    job.may_fold_history = profile->keeps.partial && options->planned_count == 1;
    ret = read_with_maps(&job, &duplicate, err);
    hp_history_sort(&profile->history);
    hp_sample_types_sort(&profile->types, &profile->strings);
    hp_annotations_sort(&profile->inputs.annotations, &profile->strings);
    pthread_mutex_destroy(&job.lock);
    finish(&job);
    return ret == HP_OK ? refuse(profile, options, duplicate, err) : ret;
}
