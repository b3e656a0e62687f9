// Each worker takes the next input, reads it, and merges it into a profile of its own; the
// profiles are added up at the end.  Sums are exact, so it does not matter who took what.
#include "lib/read.h"

#include "calc/merge.h"
#include "input/reader.h"
#include "lib/duplicates.h"
#include "lib/input_queue.h"
#include "lib/metadata.h"

#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    STACK_SIZE = 1 << 20, // of a worker's thread; readers do not recurse
};

// What the workers share.
struct job {
    const struct hp_read_options *options;
    time_t start;
    struct hp_input_queue queue;
    struct hp_contents contents;
    pthread_mutex_t lock;       // of the rest
    struct hp_profile *profile; // whose inputs are the records
    struct hp_progress progress;
};

struct worker {
    struct job *job;
    struct hp_profile *profile;
    struct hp_queued_input item;
    struct hp_reader reader;
    struct hp_dump dump;
    struct hp_merger merger;
    pthread_t thread;
};

static int skip(struct hp_input_record *record, enum hp_input_status status,
                const struct hp_err *err) {
    record->public.status = status;
    hp_input_set_err(record, err);
    return HP_OK;
}

// What makes a dump unusable, or usable only on request.
static int check(const struct hp_dump *dump, const struct hp_read_options *options,
                 struct hp_input_record *record, struct hp_err *err) {
    if (dump->cut.code != HP_OK) {
        *err = dump->cut;
    } else if (dump->damage.what) {
        hp_fail(err, HP_E_FORMAT, "damaged: %s", dump->damage.what);
        err->line = dump->damage.line;
    } else if (options->strict && dump->malformed.count > 0) {
        hp_fail(err, HP_E_FORMAT, "expected %s", dump->expected);
        err->line = dump->malformed.line;
    } else {
        return HP_OK;
    }
    if (options->keep_damaged) {
        skip(record, HP_INPUT_KEPT_DAMAGED, err);
        return HP_OK;
    }
    return HP_E_FORMAT;
}

static int read_item(struct worker *worker, bool *is_elf, struct hp_err *err) {
    const struct hp_queued_input *item = &worker->item;
    struct hp_reader *reader = &worker->reader;
    if (!item->is_member) {
        return hp_reader_read(reader, item->name, &worker->dump, is_elf, err);
    }
    if (item->file.err.code != HP_OK) {
        *err = item->file.err;
        return err->code;
    }
    struct hp_span bytes = {item->file.bytes.at, item->file.bytes.count};
    return hp_reader_read_bytes(reader, bytes, &worker->dump, is_elf, err);
}

// It may not be complete: nothing marks the end of a dump's memory map.
static bool is_young(const struct job *job, const struct hp_queued_input *item) {
    uint64_t min_age = job->options->min_age;
    struct stat info;
    if (min_age == 0 || item->is_member || strcmp(item->name, "-") == 0 ||
        stat(item->name, &info) != 0 || !S_ISREG(info.st_mode)) {
        return false;
    }
    time_t written = info.st_mtime;
    return written > job->start || (uint64_t)(job->start - written) < min_age;
}

static int take_input(struct worker *worker, struct hp_input_record *record,
                      struct hp_err *err) {
    struct job *job = worker->job;
    bool is_elf;
    if (is_young(job, &worker->item)) {
        return skip(record, HP_INPUT_YOUNG, NULL);
    }
    int ret = read_item(worker, &is_elf, err);
    if (ret != HP_OK) {
        return ret;
    }
    if (is_elf) {
        hp_fail(err, HP_E_UNSUPPORTED,
                "this is a program: none is needed, the dumps name theirs");
        return skip(record, HP_INPUT_IGNORED, err);
    }
    ret = check(&worker->dump, job->options, record, err);
    if (ret != HP_OK) {
        return ret;
    }
    record->content = worker->dump.content;
    record->has_content = true;
    struct hp_digest content = record->content;
    content.of[1] ^= record->is_base; // may be on both sides of a diff
    if (!hp_contents_add(&job->contents, content)) {
        return skip(record, HP_INPUT_DUPLICATE, NULL);
    }
    return hp_merge(&worker->merger, &worker->dump, worker->profile, record, err);
}

static void keep(struct worker *worker, const struct hp_input_record *record) {
    struct job *job = worker->job;
    struct hp_progress *progress = &job->progress;
    pthread_mutex_lock(&job->lock);
    hp_vec_push(&job->profile->inputs, *record);
    progress->done++;
    progress->total += worker->item.is_member;
    progress->bytes += worker->dump.bytes;
    progress->stacks += worker->dump.stacks.count;
    if (job->options->progress) {
        job->options->progress(job->options->progress_data, progress);
    }
    pthread_mutex_unlock(&job->lock);
}

static void *work(void *data) {
    struct worker *worker = data;
    struct hp_queued_input *item = &worker->item;
    for (;;) {
        bool found;
        struct hp_err err = {0};
        hp_dump_clear(&worker->dump); // it was another input's
        int ret = hp_input_queue_next(&worker->job->queue, item, &found, &err);
        if (ret == HP_OK && !found) {
            return NULL;
        }
        struct hp_input_record record = {
            .public.name = item->name,
            .number = (uint32_t)item->number,
            .is_base = item->number < worker->job->options->base_count,
            .is_member = item->is_member,
            .time = item->is_member ? item->file.time : 0,
        };
        hp_memory_is_for(item->name);
        ret = ret == HP_OK ? take_input(worker, &record, &err) : ret;
        hp_memory_is_for(NULL);
        if (ret != HP_OK) {
            skip(&record, HP_INPUT_SKIPPED, &err);
        }
        keep(worker, &record);
    }
}

static void worker_init(struct worker *worker, struct job *job,
                        struct hp_profile *profile) {
    *worker = (struct worker){.job = job, .profile = profile};
    worker->reader.limit = job->options->max_input_size;
    worker->reader.single = job->queue.count == 1 && !job->queue.archive;
    const struct hp_needs *keeps = &job->profile->keeps;
    worker->reader.keeps_labels =
        keeps->labels || job->options->thread || // one is of the size
        keeps->sizes[HP_COLUMN_INUSE] || keeps->sizes[HP_COLUMN_ALLOC];
    worker->reader.keeps_threads = keeps->threads || job->options->thread;
    worker->merger.keeps_labels = keeps->labels;
    memcpy(worker->merger.keeps_sizes, keeps->sizes, sizeof keeps->sizes);
    worker->merger.splits_threads = worker->reader.keeps_threads;
    worker->merger.only_thread = job->options->thread;
    worker->merger.unbias.large_sizes = job->options->large_sizes;
}

static void worker_done(struct worker *worker) {
    hp_reader_done(&worker->reader);
    hp_dump_done(&worker->dump);
    hp_merger_done(&worker->merger);
    hp_tar_file_done(&worker->item.file);
}

static size_t thread_count(const struct hp_read_options *options, size_t inputs) {
    inputs = options->tar ? SIZE_MAX : inputs; // nobody knows
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = options->jobs ? options->jobs : cpus > 0 ? (size_t)cpus : 1;
    return wanted < inputs ? wanted : inputs > 0 ? inputs : 1;
}

// What the inputs themselves say holds until a binary says better.
static void settle_embedded(const struct hp_embedded_symbols *embedded,
                            struct hp_profile *profile) {
    size_t disputed = hp_embedded_symbols_settle(embedded, profile);
    if (disputed > 0) {
        hp_profile_warn(profile,
                        "%zu address%s different names: they may be of different builds",
                        disputed, disputed == 1 ? " has" : "es have");
    }
}

// Small stacks, because --max-memory counts them as they may become.
static bool start(struct worker *worker) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    bool started = pthread_create(&worker->thread, &attributes, work, worker) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

// The calling thread is the first worker; a thread that cannot be started is one less.
static void run(struct job *job, struct hp_profile *profile) {
    size_t count = thread_count(job->options, job->queue.count), started = 1;
    struct worker *workers = hp_alloc(count * sizeof *workers);
    struct hp_profile *profiles = hp_alloc(count * sizeof *profiles);
    worker_init(&workers[0], job, profile);
    for (; started < count; started++) {
        struct worker *worker = &workers[started];
        hp_profile_init(&profiles[started]);
        profiles[started].estimator = profile->estimator;
        profiles[started].keeps = profile->keeps;
        profiles[started].history.is_kept = profile->history.is_kept;
        worker_init(worker, job, &profiles[started]);
        if (!start(worker)) {
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
    settle_embedded(embedded, profile);
    worker_done(&workers[0]);
    free(profiles);
    free(workers);
}

// What sampling leaves open of a difference of two profiles is not in it.
static void forget_errors_of_differences(struct hp_profile *profile) {
    if (!profile->summary[HP_SIDE_ALL].is_difference) {
        return;
    }
    profile->are_errors_unknown = true;
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_vec_done(&profile->errors[i]);
    }
}

// What follows from the names, once each is with its content.
static void settle_names(struct hp_input_record *records, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct hp_input_record *record = &records[i];
        if (record->err) {
            hp_err_locate(record->err, record->public.name, record->err->line);
        }
    }
}

// --- what came of it ----------------------------------------------------------------

// So that the order in which inputs are given changes nothing, not even a warning.
static int by_name(const void *left, const void *right) {
    const struct hp_input_record *a = left, *b = right;
    int order = strcmp(a->public.name, b->public.name);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

static int refuse_skipped(const struct hp_profile *profile, size_t skipped,
                          struct hp_err *err) {
    const struct hp_input_summary *summary = &profile->summary[HP_SIDE_ALL];
    bool all_limits = summary->left_out[HP_REASON_LIMIT] == skipped;
    return hp_fail(err, all_limits ? HP_E_LIMIT : HP_E_FORMAT,
                   "%zu of %zu inputs cannot be used, more than are allowed", skipped,
                   summary->all);
}

// No stack is beyond reason, but all together may be.
static bool total_fits(const struct hp_profile *profile) {
    struct hp_values total = {{0}};
    bool fits = !profile->overflow && !profile->types.overflow;
    const struct hp_stack *stack;
    hp_vec_each (stack, &profile->stacks) {
        fits &= hp_values_add(&total, &stack->values);
    }
    return fits;
}

static int judge(const struct hp_profile *profile, const struct hp_read_options *options,
                 struct hp_err *err) {
    const struct hp_input_summary *summary = &profile->summary[HP_SIDE_ALL];
    size_t skipped = hp_input_summary_skipped(summary);
    double share = options->max_skipped_share * (double)summary->all;
    if (skipped > options->max_skipped && (double)skipped > share) {
        return refuse_skipped(profile, skipped, err);
    }
    if (summary->used == 0) {
        const char *why = summary->left_out[HP_REASON_YOUNG] > 0
                              ? "inputs were written to a moment ago"
                              : "no input could be used";
        return hp_fail(err, HP_E_EMPTY, "nothing to report: %s", why);
    }
    if (options->thread && profile->stacks.count == 0) {
        return hp_fail(err, HP_E_EMPTY, "nothing to report: no input has a thread %s",
                       options->thread);
    }
    if (!total_fits(profile)) {
        return hp_fail(err, HP_E_LIMIT, "a sum exceeds 2^127 units");
    }
    return HP_OK;
}

// Names, errors and warnings of producers live as long as the profile, paths need not.
static void adopt_texts(struct hp_profile *profile, const struct hp_input_queue *queue) {
    char **name;
    hp_vec_each (name, &queue->members) {
        hp_vec_push(&profile->blocks, *name);
    }
    struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        if (!input->is_member) {
            char *copy = hp_copy(input->public.name);
            hp_vec_push(&profile->blocks, copy);
            input->public.name = copy;
        }
        if (input->err) {
            hp_vec_push(&profile->blocks, input->err);
        }
        if (input->producer_warning) {
            hp_vec_push(&profile->blocks, input->producer_warning);
        }
    }
}

int hp_read_inputs(struct hp_profile *profile, const char *const *paths, size_t count,
                   const struct hp_read_options *options, struct hp_err *err) {
    struct job job = {
        .options = options,
        .start = time(NULL),
        .queue = {.paths = paths,
                  .count = count,
                  .archive = options->tar,
                  .limit = options->max_input_size},
        .profile = profile,
        .progress = {.phase = "reading", .total = count},
    };
    int ret;
    hp_vec_reserve(&profile->inputs, count);
    pthread_mutex_init(&job.lock, NULL);
    hp_input_queue_init(&job.queue);
    hp_contents_init(&job.contents);
    run(&job, profile);
    hp_history_sort(&profile->history);
    hp_sample_types_sort(&profile->types, &profile->strings);
    hp_annotations_sort(&profile->annotations, &profile->strings);
    hp_contents_done(&job.contents);
    pthread_mutex_destroy(&job.lock);
    count = profile->inputs.count;
    hp_vec_sort(&profile->inputs, by_name);
    struct hp_duplicate duplicate = hp_duplicates_settle(profile->inputs.at, count);
    adopt_texts(profile, &job.queue);
    hp_input_queue_done(&job.queue);
    settle_names(profile->inputs.at, count);
    ret = options->label_from ? hp_labels_set(profile, options->label_from, err) : HP_OK;
    if (ret != HP_OK) {
        return ret;
    }
    hp_identify_processes(profile);
    hp_profile_summarize(profile);
    forget_errors_of_differences(profile);
    bool is_refused = duplicate.again < count && !options->skip_duplicates;
    if (!is_refused && options->base_count > 0) {
        duplicate = hp_duplicates_across(profile->inputs.at, count);
        is_refused = duplicate.again < count;
    }
    if (is_refused) {
        return hp_duplicates_refuse(profile->inputs.at, duplicate, err);
    }
    return judge(profile, options, err);
}
