#include "lib/workers.h"

#include "calc/merge.h"
#include "input/input_file.h"
#include "input/reader.h"
#include "inputs/dump_name.h"
#include "lib/dump_check.h"
#include "lib/partial_proof.h"
#include "partial/partial.h"
#include "partial/runs.h"
#include "rows/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- job memory ------------------------------------------------------------------------
//
// The limit of memory for the stacks of a job.  Stacks beyond the limit are written to
// the run store of the profile.  Without a store all stacks stay in memory.

enum {
    THREAD_ROOM = 8 << 20, // least bytes of stacks in memory for each thread
};

// Return the most threads that are useful for n files of a job.  Aggregate files have most
// stacks in common: each thread reads 1/threads of them, but then one thread adds up the
// stacks of all threads.  That is least work for the square root of n.
static size_t useful_threads(const struct hp_job *job) {
    size_t partials = 0, most = 1;
    for (size_t i = 0; i < job->queue.count; i++) {
        partials += hp_span_ends(hp_span_of(job->queue.paths[i]), ".hpa");
    }
    while (most * most < partials) {
        most++;
    }
    return 2 * partials > job->queue.count ? most : SIZE_MAX;
}

// Return the number of threads that read: each must have THREAD_ROOM for stacks, besides
// a dump.
static size_t hp_job_thread_count(const struct hp_job *job) {
    // The number of inputs in an archive is unknown.
    size_t inputs = job->queue.archives.count > 0 ? SIZE_MAX : job->queue.count;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = job->options->jobs ? job->options->jobs : cpus > 0 ? (size_t)cpus : 1;
    if (job->profile->settings.store) {
        size_t most = (size_t)(job->profile->settings.store->room / THREAD_ROOM);
        most = most > 0 ? most : 1;
        wanted = wanted < most ? wanted : most;
    }
    size_t useful = useful_threads(job);
    wanted = wanted < useful ? wanted : useful;
    return wanted < inputs ? wanted : inputs > 0 ? inputs : 1;
}

// Return how many bytes the stacks of dumps of one thread may take in memory; those of
// its partials may take as many.  0: there is no store, so any number.
static uint64_t hp_job_share_of_memory(const struct hp_job *job) {
    return job->profile->settings.store
               ? job->profile->settings.store->room / job->threads / 2
               : 0;
}

// Write stacks of a profile to the run store by `write`, if its stacks can become a run.
// An error is recorded in job->run_err.
static void write_run(struct hp_job *job, struct hp_profile *profile,
                      int (*write)(struct hp_profile *, struct hp_run_store *,
                                   struct hp_err *)) {
    struct hp_err err = {0};
    if (hp_profile_can_spill(profile) &&
        write(profile, job->profile->settings.store, &err) != HP_OK) {
        pthread_mutex_lock(&job->lock);
        job->run_err = err;
        pthread_mutex_unlock(&job->lock);
    }
}

// Write all stacks of a profile to the store as a run.
static void spill(struct hp_job *job, struct hp_profile *profile) {
    write_run(job, profile, hp_profile_spill);
}

// Write the stacks of a thread's profile to the store if they take more than its share.
// Only the calling thread may use that profile.
static void hp_job_spill_if_full(struct hp_job *job, struct hp_profile *profile) {
    if (job->profile->settings.store &&
        hp_profile_stack_memory(profile) > hp_job_share_of_memory(job)) {
        spill(job, profile);
    }
}

// Append a partial to job->taken.  The stacks of all partials that are put there may take
// the share of one thread in memory; those of further partials are written to the store,
// unless there is a prover, which needs them in memory.
static void hp_job_set_aside(struct hp_job *job, struct hp_taken *taken) {
    uint64_t size = hp_profile_stack_memory(&taken->profile);
    pthread_mutex_lock(&job->lock);
    bool stays = !job->profile->settings.store || job->profile->settings.prover ||
                 job->aside + size <= hp_job_share_of_memory(job);
    job->aside += stays ? size : 0;
    hp_vec_push(&job->taken, taken);
    pthread_mutex_unlock(&job->lock);
    if (!stays) {
        spill(job, &taken->profile);
    }
}

// Pack the stacks that are left in memory of a thread's partials, if other stacks of
// these were written to the store.  `taken` may be NULL.
static void hp_job_pack_rest(struct hp_job *job, struct hp_taken *taken) {
    if (taken && taken->profile.runs.all.count > 0) {
        write_run(job, &taken->profile, hp_profile_pack);
    }
}

// --- workers ---------------------------------------------------------------------------

enum {
    STACK_SIZE = 1 << 20, // bytes; stack of a worker's thread; readers do not recurse
    PIECE = 64 << 10,     // bytes that are read from a pipe at a time
};

// Reads dumps for their rows: adds them to a profile, and gives their rows to the batch.
struct row_taker {
    struct hp_profile *profile;
    struct hp_merger *merger;
    struct hp_stack_ids ids; // of `profile`
    struct hp_dump_rows found;
};

// Collects the rows of the dumps that a worker reads.
struct row_collector {
    // The profile of dumps that are not added to the worker's own, with its merger.
    struct hp_profile aside;
    struct hp_merger merger;
    struct row_taker takers[2]; // of the worker's profile, and of the one aside
};

struct worker {         // one thread, and all that it does not share
    struct hp_job *job; // shared
    // The profile that it adds dumps to: its own; the first worker uses that of the job.
    struct hp_profile *profile;
    struct hp_queued_input item; // the current input
    struct hp_reader reader;     // reader, dump and merger: scratch memory
    struct hp_dump dump;
    struct hp_merger merger;
    struct row_collector *rows; // half a MiB; NULL: rows are not collected
    struct hp_taken *taken;     // partials that it has read; NULL: none
    bool is_partial;            // the current input is a partial, not a dump
    HP_VEC(char) pipe;          // the bytes of an input that is a pipe
    pthread_t thread;
};

// Set the status and the error of a record, which may be NULL; always returns HP_OK.
static int skip(struct hp_input_record *record, enum hp_input_status status,
                const struct hp_err *err) {
    record->public.status = status;
    hp_input_set_err(record, err);
    return HP_OK;
}

// Return an error if the dump cannot be used.  A damaged dump is used if
// options->keep_damaged is set.  Copies totals and sample period to the record.
static int check(struct worker *worker, struct hp_input_record *record,
                 struct hp_err *err) {
    const struct hp_read_options *options = worker->job->options;
    int ret = hp_dump_check(&worker->dump, &worker->merger.unbias,
                            worker->profile->settings.estimator, options->strict, err);
    record->is_damaged = record->public.can_be_used = ret != HP_OK;
    record->header = worker->dump.header, record->period = worker->dump.period;
    record->header_line = worker->dump.has_totals ? worker->dump.header_line : 0;
    if (ret != HP_OK && options->keep_damaged) {
        return skip(record, HP_INPUT_KEPT_DAMAGED, err);
    }
    return ret;
}

// --- bytes -----------------------------------------------------------------------------

static bool is_stdin(const struct hp_queued_input *item) {
    return !item->archive && strcmp(item->name, "-") == 0;
}

// Return whether an input can be read only once.
static bool is_pipe(const struct hp_queued_input *item) {
    struct stat info;
    return is_stdin(item) || (!item->archive && stat(item->name, &info) == 0 &&
                              !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode));
}

// Read a pipe into worker->pipe, but no more than the limit of the reader.
static int drain(struct worker *worker, int fd, struct hp_err *err) {
    uint64_t limit = worker->reader.limit;
    worker->pipe.count = 0;
    for (ssize_t got = 1; got != 0 && (limit == 0 || worker->pipe.count <= limit);) {
        hp_vec_reserve(&worker->pipe, PIECE);
        got = read(fd, worker->pipe.at + worker->pipe.count, PIECE);
        if (got < 0 && errno == EAGAIN) { // the descriptor is non-blocking
            poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1);
        } else if (got < 0 && errno != EINTR) {
            return hp_fail_errno(err, HP_MESSAGE("pipe-not-read", "cannot read"));
        }
        worker->pipe.count += got > 0 ? (size_t)got : 0;
    }
    return HP_OK;
}

// Read the current input, which can be read only once, into worker->pipe.
static int read_pipe(struct worker *worker, struct hp_err *err) {
    const struct hp_queued_input *item = &worker->item;
    int fd = is_stdin(item)
                 ? STDIN_FILENO
                 : hp_input_file_open(item->name, worker->job->options->wait, err);
    if (fd < 0) {
        return err->code;
    }
    int ret = drain(worker, fd, err);
    if (fd != STDIN_FILENO) {
        hp_input_file_close(fd);
    }
    return ret;
}

static int read_bytes(struct worker *worker, struct hp_span bytes, bool is_again,
                      bool *is_elf, struct hp_err *err) {
    uint64_t limit = worker->reader.limit;
    // Kept bytes were within the limit when they were read.
    worker->reader.limit = is_again ? UINT64_MAX : limit;
    int ret = hp_reader_read_bytes(&worker->reader, bytes, &worker->dump, is_elf, err);
    worker->reader.limit = limit;
    return ret;
}

// Return whether to keep the bytes of inputs that can be read only once: they may be
// needed again.
static bool keeps_bytes(const struct worker *worker) {
    return !worker->job->adds_all && !worker->job->record_of && !worker->reader.single;
}

// Read the current input into worker->dump, from its file, its member of an archive, or
// its kept bytes.  Keeps the bytes if it can be read only once and may be needed again.
static int read_item(struct worker *worker, bool *is_elf, struct hp_err *err) {
    const struct hp_queued_input *item = &worker->item;
    if (item->again.bytes) {
        struct hp_span kept = {item->again.bytes, item->again.size};
        return read_bytes(worker, kept, true, is_elf, err);
    }
    if (item->archive && item->file.err.code != HP_OK) {
        *err = item->file.err;
        return err->code;
    }
    bool keeps = keeps_bytes(worker);
    bool is_once = keeps && is_pipe(item);
    if (!item->archive && !is_once) {
        return hp_reader_read(&worker->reader, item->name, &worker->dump, is_elf, err);
    }
    int ret = is_once ? read_pipe(worker, err) : HP_OK;
    if (ret != HP_OK) {
        return ret;
    }
    struct hp_span bytes = {is_once ? worker->pipe.at : item->file.bytes.at,
                            is_once ? worker->pipe.count : item->file.bytes.count};
    ret = read_bytes(worker, bytes, false, is_elf, err);
    if (ret == HP_OK && keeps && (is_once || worker->job->queue.keeps_members)) {
        hp_input_queue_keep(&worker->job->queue, item->number, bytes);
    }
    return ret;
}

// --- one input -------------------------------------------------------------------------

// Return whether a file is so young that the end of its memory map may be missing.
static bool is_young(const struct hp_job *job, const struct hp_queued_input *item) {
    uint64_t min_age = job->options->min_age;
    struct stat info;
    if (min_age == 0 || item->archive || strcmp(item->name, "-") == 0 ||
        stat(item->name, &info) != 0 || !S_ISREG(info.st_mode)) {
        return false;
    }
    time_t written = info.st_mtime;
    return written > job->start || (uint64_t)(job->start - written) < min_age;
}

// Return whether a dump of equal content, number and process id was read before; if not,
// note that it was.  False if duplicates count.
static bool is_duplicate(struct hp_job *job, const struct hp_input_record *record,
                         const struct hp_dump_name *name) {
    struct hp_identity name_identity = {.pid = name->pid,
                                        .number = name->number,
                                        .has_number = name->has_number};
    struct hp_digest key = hp_dump_identity(record->content, &name_identity);
    // Each side of a comparison may have this dump.
    key.of[1] |= (uint64_t)record->is_base << 63;
    return !job->options->count_duplicates && !hp_contents_add(&job->contents, key);
}

// Return whether the dump is to be added: no dump of its process, by map or name, has
// been added yet.  If so, claim the process, so that no other dump of it is added.
static bool claim(struct hp_job *job, const struct hp_input_record *record,
                  const struct hp_dump *dump, const struct hp_dump_name *name) {
    const char *path = record->public.name;
    struct hp_digest key = dump->map;
    if (name->kind && record->number < job->named_count &&
        !job->is_newest[record->number]) {
        return false; // another thread may be reading the dump that is used
    }
    if (hp_digest_is_known(key)) {
        key.of[0] ^= hp_hash_mix(name->pid ^ hp_hash_key(), hp_hash_key() | 1);
    } else if (name->kind) {
        size_t size = (size_t)(name->series.at + name->series.size - path);
        key.of[0] = hp_hash_bytes(path, size, hp_hash_key());
    } else {
        return true;
    }
    key.of[1] ^= record->is_base;
    return hp_contents_add(&job->claims, key);
}

static bool is_of_base(const struct worker *worker) {
    return worker->item.number < worker->job->options->base_count;
}

// Read a partial into worker->taken, together with partials that were read before; but a
// shard gets a profile of its own.
static int read_partial(struct worker *worker, struct hp_input_stream *stream,
                        struct hp_err *err) {
    if (worker->taken && hp_taken_is_shard(worker->taken)) {
        hp_job_set_aside(worker->job, worker->taken);
        worker->taken = NULL;
    }
    if (!worker->taken) {
        worker->taken = hp_taken_new(worker->job->profile);
        worker->taken->partials.store = worker->job->profile->settings.store;
        worker->taken->partials.stack_memory = hp_job_share_of_memory(worker->job);
    }
    return hp_taken_read(worker->taken, stream, worker->item.name, is_of_base(worker),
                         err);
}

// Read a partial, and let the prover find its builds; its stacks stay in memory until
// they are compared with binaries.
static int read_and_prove(struct worker *worker, struct hp_input_stream *stream,
                          struct hp_err *err) {
    struct hp_job *job = worker->job;
    struct hp_taken *one = hp_taken_new(job->profile);
    int ret = hp_taken_read(one, stream, worker->item.name, is_of_base(worker), err);
    if (ret == HP_OK && hp_taken_is_shard(one)) {
        hp_job_set_aside(job, one);
        return ret;
    }
    if (ret != HP_OK) {
        hp_taken_free(one);
        return ret;
    }
    worker->taken = worker->taken ? worker->taken : hp_taken_new(job->profile);
    return hp_taken_join(worker->taken, one, job->profile->settings.prover, err);
}

// Called by the reader when the input is a partial.
static int take_partial(void *data, struct hp_input_stream *stream, struct hp_err *err) {
    struct worker *worker = data;
    worker->is_partial = true;
    if (worker->job->options->batch) {
        return hp_fail(err, HP_E_USAGE,
                       HP_MESSAGE("rows-of-aggregate",
                                  "rows need single dumps, but this is an aggregate "
                                  "file. Give its dumps"));
    }
    if (worker->job->record_of) { // the partial was read the first time, and is kept
        return HP_OK;
    }
    return hp_proves_partials(worker->job->profile) ? read_and_prove(worker, stream, err)
                                                    : read_partial(worker, stream, err);
}

// Read the current input into worker->dump, and check whether it can be used.
static int read_dump(struct worker *worker, struct hp_input_record *record, bool *is_elf,
                     struct hp_err *err) {
    worker->is_partial = false;
    int ret = read_item(worker, is_elf, err);
    if (ret == HP_OK && !*is_elf && !worker->is_partial) {
        ret = check(worker, record, err);
        record->takes_map = hp_given_map_lend(&worker->job->given, &worker->dump);
        record->content = worker->dump.content;
        record->has_content = ret == HP_OK;
    }
    return ret;
}

// Refuse a dump that has no rows of one process: a difference, or a merged profile.
static int refuse_rows(const struct hp_dump *dump, struct hp_err *err) {
    return dump->is_merged
               ? hp_fail(err, HP_E_USAGE,
                         HP_MESSAGE("rows-of-merged",
                                    "rows need single dumps, but this is a merged "
                                    "profile. Give its dumps"))
           : dump->negative > 0
               ? hp_fail(err, HP_E_USAGE,
                         HP_MESSAGE("rows-of-difference",
                                    "rows need single dumps, but this is a difference. "
                                    "Give both dumps"))
               : HP_OK;
}

// Give the rows of a dump to the batch.  A failure is one of the whole read, because the
// dump has been added.
static int take_rows(struct worker *worker, struct row_taker *taker,
                     const struct hp_input_record *record, struct hp_err *err) {
    struct hp_job *job = worker->job;
    int ret = hp_batch_take(job->options->batch, record, &taker->found, &taker->ids,
                            taker->merger->total_errors, err);
    if (ret != HP_OK) {
        pthread_mutex_lock(&job->lock);
        job->run_err = *err;
        hp_err_locate(&job->run_err, record->public.name, 0);
        pthread_mutex_unlock(&job->lock);
    }
    return ret;
}

// Add the dump, and collect its rows: to the profile of the worker, or to the one aside,
// so that every dump has rows although only one of each process is used.
static int merge_with_rows(struct worker *worker, struct hp_input_record *record,
                           bool is_added, struct hp_err *err) {
    struct row_taker *taker = &worker->rows->takers[is_added ? 0 : 1];
    struct hp_merger *merger = taker->merger;
    int ret = refuse_rows(&worker->dump, err);
    merger->large_sizes = worker->merger.large_sizes;
    merger->namer = worker->merger.namer;
    merger->only_estimates = false;
    taker->found.all.count = 0;
    merger->rows = &taker->found;
    ret =
        ret == HP_OK ? hp_merge(merger, &worker->dump, taker->profile, record, err) : ret;
    merger->namer = NULL;
    if (ret == HP_OK && merger->adopts) {
        hp_stack_ids_forget(&taker->ids); // modules were renumbered
    }
    return ret == HP_OK ? take_rows(worker, taker, record, err) : ret;
}

// Estimate the dump and describe it in the record; add it to the profile if is_added.
static int merge(struct worker *worker, struct hp_input_record *record, bool is_added,
                 struct hp_err *err) {
    struct hp_dump_name name = hp_dump_name_of(record->public.name);
    struct hp_identity name_identity = {.map = worker->dump.map,
                                        .pid = name.pid,
                                        .number = name.number,
                                        .has_number = name.has_number};
    record->group = (uint8_t)hp_replicate_of(record->content, &name_identity);
    worker->merger.only_estimates = !is_added;
    worker->merger.large_sizes = hp_large_sizes_of(worker->job->profile, record->number);
    if (worker->job->unloaded) {
        hp_unloaded_place(worker->job->unloaded, &worker->dump, name.pid);
    }
    struct hp_dump_namer namer = hp_perf_maps_namer(
        &worker->job->maps,
        record->archive || is_stdin(&worker->item) ? NULL : record->public.name,
        name.pid);
    worker->merger.namer = &namer.base;
    int ret = worker->job->options->batch ? merge_with_rows(worker, record, is_added, err)
                                          : hp_merge(&worker->merger, &worker->dump,
                                                     worker->profile, record, err);
    worker->merger.namer = NULL;
    record->is_added = ret == HP_OK && is_added;
    return ret;
}

// Read and merge the current input for the first time, or skip it; fills in the record.
static int take_input(struct worker *worker, struct hp_input_record *record,
                      struct hp_err *err) {
    struct hp_job *job = worker->job;
    bool is_elf;
    if (is_young(job, &worker->item)) {
        return skip(record, HP_INPUT_YOUNG, NULL);
    }
    int ret = read_dump(worker, record, &is_elf, err);
    if (ret != HP_OK || worker->is_partial) {
        return ret;
    }
    if (is_elf) {
        hp_fail(err, HP_E_UNSUPPORTED,
                HP_MESSAGE("input-is-program",
                           "this is a program, not a dump. Dumps name their programs"));
        return skip(record, HP_INPUT_IGNORED, err);
    }
    struct hp_dump_name name = hp_dump_name_of(record->public.name);
    if (is_duplicate(job, record, &name)) {
        return skip(record, HP_INPUT_DUPLICATE, NULL);
    }
    bool is_exit = name.kind == 'f' && hp_profile_skips_exits(job->profile);
    bool is_added =
        (job->adds_all && !is_exit) || claim(job, record, &worker->dump, &name);
    return merge(worker, record, is_added, err);
}

static int fail_changed(struct hp_err *err) {
    return hp_fail(
        err, HP_E_FORMAT,
        HP_MESSAGE("input-being-written",
                   "the file changed while it was read. Try again when it is complete"));
}

// Read the current input again into `again`, and add it to the profile.  If its content
// has changed, `record`, its record from the first time, is marked as skipped.
static void take_again(struct worker *worker, struct hp_input_record *again,
                       struct hp_input_record *record) {
    struct hp_err err = {0};
    bool is_elf;
    int ret = read_dump(worker, again, &is_elf, &err);
    bool is_same = ret == HP_OK && !is_elf &&
                   memcmp(&again->content, &record->content, sizeof again->content) == 0;
    ret = ret == HP_OK && !is_same ? fail_changed(&err) : ret;
    const bool *is_chosen = worker->job->is_chosen;
    bool is_added = !is_chosen || is_chosen[worker->item.number];
    ret = ret == HP_OK ? merge(worker, again, is_added, &err) : ret;
    if (ret != HP_OK) {
        skip(record, HP_INPUT_SKIPPED, &err);
    }
    record->is_added = ret == HP_OK && is_added;
    record->unmapped_addresses = again->unmapped_addresses;
    record->files = again->files;
    hp_input_done(again);
}

// --- all inputs ------------------------------------------------------------------------

// Count the current input, and call the caller's progress function.  job->lock is held.
static void report_progress(struct hp_job *job, const struct worker *worker) {
    struct hp_progress *progress = &job->progress;
    progress->done++;
    progress->total += worker->item.archive && !job->record_of;
    progress->bytes += worker->dump.bytes;
    progress->stacks += worker->dump.stacks.count;
    if (job->options->progress) {
        job->options->progress(job->options->progress_data, progress);
    }
}

// Store the program of the dump in its record.  job->lock is held.
static void name_program(const struct worker *worker, struct hp_input_record *record) {
    struct hp_span path = worker->dump.program_path;
    if (hp_input_is_used(record) && path.size > 0) {
        record->identity.program =
            hp_strtab_add(&worker->job->profile->inputs.programs, path).n;
    }
}

// Move the error of a partial from its record to job->partial_err: the read fails, as the
// number of its dumps is unknown.  job->lock is held.
static void note_partial(struct hp_job *job, struct hp_input_record *record) {
    struct hp_err *first = &job->partial_err;
    if (record->err) {
        hp_err_locate(record->err, record->public.name, 0);
        if (first->code == HP_OK || strcmp(record->err->where, first->where) < 0) {
            *first = *record->err;
        }
        hp_input_set_err(record, NULL);
    }
}

// Return whether the file of the input was counted before, under this or another name; if
// not, note it in job->files.  Duplicates are marked only later.
static bool is_known_file(struct hp_job *job, const struct hp_input_record *record) {
    struct stat info;
    if (record->archive || stat(record->public.name, &info) != 0) {
        return false;
    }
    struct hp_digest file = {{(uint64_t)info.st_dev, (uint64_t)info.st_ino}};
    return !hp_contents_add(&job->files, file);
}

// Count dumps that surely differ.  If there are more than a partial lists individually,
// the history is folded: the values that each dump added are kept only in sums over
// replicates.
static void count_dump(struct hp_job *job, const struct hp_input_record *record) {
    if (!job->may_fold_history || job->folds_history || !hp_input_is_used(record) ||
        is_known_file(job, record)) {
        return;
    }
    struct hp_dump_name name = hp_dump_name_of(record->public.name);
    job->named += name.pid != 0 && name.has_number;
    job->differing += hp_contents_add(&job->texts, record->content);
    job->folds_history =
        job->named > HP_PARTIAL_HISTORY || job->differing > HP_PARTIAL_HISTORY;
}

// Fold the history of the worker's profile if a worker has counted too many dumps.
static void fold_history(struct worker *worker) {
    pthread_mutex_lock(&worker->job->lock);
    bool folds = worker->job->folds_history;
    pthread_mutex_unlock(&worker->job->lock);
    if (folds && worker->profile->history.is_kept) {
        hp_profile_fold_history(worker->profile);
    }
}

// Keep the record of an input: in the sums of a group, as a row of lone inputs, or in the
// profile.  job->lock is held.
static void keep_record(struct worker *worker, struct hp_input_record *record) {
    struct hp_job *job = worker->job;
    if (job->groups_inputs && hp_input_groups_take(&job->groups, record)) {
        hp_input_queue_forget(&job->queue, record->number);
        return;
    }
    name_program(worker, record);
    count_dump(job, record);
    if (job->sets_lone_aside && hp_input_may_be_lone(record)) {
        hp_lone_inputs_put(&job->lone, record);
        return;
    }
    hp_vec_push(&job->profile->inputs.records, *record);
}

// Read, merge and record the current input, also if it cannot be used.  `ret`: what
// hp_input_queue_next() returned for it.
static void take(struct worker *worker, struct hp_input_record *record, int ret,
                 struct hp_err *err) {
    struct hp_job *job = worker->job;
    hp_set_memory_input(record->public.name);
    if (job->record_of) {
        take_again(worker, record,
                   &job->profile->inputs.records.at[job->record_of[record->number]]);
    } else {
        worker->is_partial = false;
        ret = ret == HP_OK ? take_input(worker, record, err) : ret;
        if (ret != HP_OK) {
            record->is_damaged |= err->code == HP_E_FORMAT;
            skip(record, HP_INPUT_SKIPPED, err);
        }
    }
    hp_set_memory_input(NULL);
    pthread_mutex_lock(&job->lock);
    if (worker->is_partial) {
        note_partial(job, record);
    } else if (!job->record_of) {
        keep_record(worker, record);
    }
    report_progress(job, worker);
    pthread_mutex_unlock(&job->lock);
}

// Write the stacks of the worker to the store if they take too much memory.
static void spill_if_full(struct worker *worker) {
    hp_job_spill_if_full(worker->job, worker->profile);
    if (worker->taken) {
        hp_job_spill_if_full(worker->job, &worker->taken->profile);
    }
}

// Return whether stacks could not be written to the store.
static bool has_failed(struct hp_job *job) {
    pthread_mutex_lock(&job->lock);
    bool failed = job->run_err.code != HP_OK;
    pthread_mutex_unlock(&job->lock);
    return failed;
}

// Thread of a worker: read inputs until the queue is empty or the job has failed.
static void *work(void *data) {
    struct worker *worker = data;
    struct hp_queued_input *item = &worker->item;
    for (;;) {
        bool found;
        struct hp_err err = {0};
        hp_dump_clear(&worker->dump); // it contains the previous input
        fold_history(worker);
        int ret = hp_input_queue_next(&worker->job->queue, item, &found, &err);
        bool is_stopped = has_failed(worker->job);
        if (is_stopped) {
            hp_input_queue_stop(&worker->job->queue);
        }
        if ((!found && (ret == HP_OK || worker->job->record_of)) || is_stopped) {
            hp_job_pack_rest(worker->job, worker->taken);
            return NULL;
        }
        struct hp_input_record record = {
            .public.name = item->name,
            .number = (uint32_t)item->number,
            .is_base = item->number < worker->job->options->base_count,
            .archive = item->archive,
            .identity.time = item->archive ? item->file.time : 0,
        };
        take(worker, &record, ret, &err);
        spill_if_full(worker);
    }
}

// Prepare the profile of a thread for the dumps that the job adds to it.
static void profile_init(struct hp_profile *own, const struct hp_profile *profile) {
    hp_profile_init(own);
    own->settings.estimator = profile->settings.estimator;
    hp_profile_keep(own, &profile->keeps);
    own->history.is_kept = profile->history.is_kept;
    own->settings.drops_identities = profile->settings.drops_identities;
    own->settings.prover = profile->settings.prover;
    own->settings.has_stamps = profile->settings.has_stamps;
}

// Prepare to collect rows: the profile aside keeps nothing but stacks with their names.
static void takers_init(struct worker *worker) {
    struct hp_needs needs = {.errors = {true, true}};
    struct row_collector *rows = worker->rows = hp_alloc(sizeof *rows);
    hp_profile_init(&rows->aside);
    rows->aside.settings.estimator = worker->profile->settings.estimator;
    hp_profile_keep(&rows->aside, &needs);
    rows->merger.keeps_unmapped = worker->merger.keeps_unmapped;
    rows->takers[0] =
        (struct row_taker){.profile = worker->profile, .merger = &worker->merger};
    rows->takers[1] =
        (struct row_taker){.profile = &rows->aside, .merger = &rows->merger};
    for (int i = 0; i < 2; i++) {
        hp_stack_ids_init(&rows->takers[i].ids, rows->takers[i].profile);
    }
}

// Set up the reader and the merger of a worker by the options and needs of the job.
// `profile`: the one that the worker adds dumps to.
static void worker_init(struct worker *worker, struct hp_job *job,
                        struct hp_profile *profile) {
    *worker = (struct worker){.job = job, .profile = profile};
    worker->reader.limit = job->options->max_input_size;
    worker->reader.map_period = job->profile->inputs.recent.period;
    worker->reader.stream.waits = job->options->wait;
    worker->reader.folded_objects = job->options->folded_unit == HP_FOLDED_OBJECTS;
    worker->reader.take_partial = take_partial;
    worker->reader.data = worker;
    worker->reader.single = job->queue.count == 1 && job->queue.archives.count == 0 &&
                            !job->profile->keeps.partial;
    const struct hp_needs *keeps = &job->profile->keeps;
    worker->reader.drops_content = worker->reader.single && !keeps->identities;
    worker->reader.keeps_labels =
        keeps->labels || job->options->thread || // object sizes are labels, too
        keeps->sizes[HP_COLUMN_INUSE] || keeps->sizes[HP_COLUMN_ALLOC];
    worker->reader.keeps_threads = keeps->threads || job->options->thread;
    worker->merger.keeps_labels = keeps->labels;
    worker->merger.keeps_unmapped = keeps->unmapped;
    memcpy(worker->merger.keeps_sizes, keeps->sizes, sizeof keeps->sizes);
    worker->merger.keeps_ages = keeps->ages;
    worker->merger.older_than = job->options->older_than;
    worker->merger.keeps_made = keeps->made_counts;
    worker->merger.keeps_live = keeps->live_samples;
    worker->merger.splits_threads = worker->reader.keeps_threads;
    worker->merger.only_thread = job->options->thread;
    if (job->options->batch) {
        takers_init(worker);
    }
}

// Free what collecting rows needed, and add the profile aside to that of the batch.
static void takers_done(struct worker *worker) {
    struct row_collector *rows = worker->rows;
    struct hp_profile *aside = &worker->job->options->batch->aside;
    struct hp_embedded_symbols *embedded = &worker->job->embedded_aside;
    for (int i = 0; i < 2; i++) {
        hp_stack_ids_done(&rows->takers[i].ids);
        hp_vec_done(&rows->takers[i].found.all);
    }
    hp_embedded_symbols_absorb(embedded, aside, &rows->merger.embedded, &rows->aside);
    hp_merger_done(&rows->merger);
    hp_profile_absorb(aside, &rows->aside);
    free(rows);
}

// Move the partials of a worker to the job, and free its memory.  Called by the thread
// that started the workers, when this worker has ended or could not be started.
static void worker_done(struct worker *worker) {
    struct hp_job *job = worker->job;
    if (worker->taken) {
        pthread_mutex_lock(
            &job->lock); // workers after this one may still set partials aside
        hp_vec_push(&job->taken, worker->taken);
        pthread_mutex_unlock(&job->lock);
    }
    if (job->options->batch) {
        takers_done(worker);
    }
    hp_reader_done(&worker->reader);
    hp_dump_done(&worker->dump);
    hp_merger_done(&worker->merger);
    hp_tar_file_done(&worker->item.file);
    hp_vec_done(&worker->pipe);
}

// Start the thread of a worker; false if there can be no more.  Its stack is small, as
// --max-memory counts all of it.
static bool start(struct worker *worker) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    bool started = pthread_create(&worker->thread, &attributes, work, worker) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

// Run all workers, and add up their profiles.  The calling thread is the first worker.
static void run(struct hp_job *job, struct hp_profile *profile) {
    size_t count = hp_job_thread_count(job), started = 1;
    job->threads = count;
    struct worker *workers = hp_alloc(count * sizeof *workers);
    struct hp_profile *profiles = hp_alloc(count * sizeof *profiles);
    worker_init(&workers[0], job, profile);
    for (; started < count; started++) {
        struct worker *worker = &workers[started];
        profile_init(&profiles[started], profile);
        worker_init(worker, job, &profiles[started]);
        if (!start(worker)) { // one worker less
            worker_done(worker);
            hp_profile_done(&profiles[started]);
            break;
        }
    }
    work(&workers[0]);
    struct hp_embedded_symbols *embedded = &workers[0].merger.embedded;
    for (size_t i = 1; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
        hp_embedded_symbols_absorb(embedded, profile, &workers[i].merger.embedded,
                                   &profiles[i]);
        worker_done(&workers[i]);
        hp_profile_absorb(profile, &profiles[i]);
    }
    hp_embedded_symbols_done(&job->embedded);
    job->embedded = *embedded;
    *embedded = (struct hp_embedded_symbols){.frames = {0}};
    worker_done(&workers[0]);
    free(profiles);
    free(workers);
}

static bool is_regular(const char *path) {
    struct stat info;
    return strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool hp_job_has_files_only(const struct hp_job *job) {
    bool has = true;
    const char *const *archive;
    hp_vec_each (archive, &job->queue.archives) {
        has &= is_regular(*archive);
    }
    return has;
}

void hp_job_read(struct hp_job *job) {
    job->queue.keeps_members = !hp_job_has_files_only(job);
    if (!job->groups_inputs && !job->sets_lone_aside) {
        hp_vec_reserve(&job->profile->inputs.records, job->queue.count);
    }
    run(job, job->profile);
    hp_input_groups_done(&job->groups, job->profile);
}

// Skip wanted inputs that were not found again, because their archive has changed.
static void skip_missing(struct hp_job *job, const bool *is_wanted) {
    struct hp_input_record *record;
    hp_vec_each (record, &job->profile->inputs.records) {
        bool is_skipped = record->public.status == HP_INPUT_SKIPPED;
        bool is_added = is_wanted[record->number] &&
                        (!job->is_chosen || job->is_chosen[record->number]);
        if (is_added && !record->is_added && !is_skipped) {
            struct hp_err err = {0};
            fail_changed(&err);
            skip(record, HP_INPUT_SKIPPED, &err);
        }
    }
}

void hp_job_read_again(struct hp_job *job, const bool *is_wanted,
                       const uint32_t *record_of) {
    struct hp_input_record *record;
    hp_profile_forget_stacks(job->profile);
    hp_perf_maps_forget(&job->maps);
    if (job->options->batch) {
        hp_batch_forget(job->options->batch);
        hp_embedded_symbols_done(&job->embedded_aside);
    }
    hp_vec_each (record,
                 &job->profile->inputs.records) { // stacks of partials are added later
        record->is_added &= record->source > 0;
    }
    job->record_of = record_of;
    hp_input_queue_rewind(&job->queue, is_wanted, job->numbers);
    run(job, job->profile);
    skip_missing(job, is_wanted);
}
