// Each worker takes the next input, reads it, and merges it into a profile of its own; the
// profiles are added up at the end.  Sums are exact, so it does not matter who took what.
#include "lib/read.h"

#include "calc/merge.h"
#include "input/reader.h"
#include "lib/claims.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// What the workers share.
struct job {
    const char *const *paths;
    size_t count;
    const struct hp_read_options *options;
    struct hp_input_record *records; // [count]; each is written by one worker
    atomic_size_t next;
    struct hp_claims claims;
    pthread_mutex_t progress_lock;
    struct hp_progress progress;
};

struct worker {
    struct job *job;
    struct hp_profile *profile;
    struct hp_reader reader;
    struct hp_dump dump;
    struct hp_merger merger;
    pthread_t thread;
};

static int skip(struct hp_input_record *record, enum hp_input_status status,
                const struct hp_err *err) {
    record->public.status = status;
    record->public.err = *err;
    return HP_OK;
}

// What makes a dump unusable, or usable only on request.
static int check(const struct hp_dump *dump, const struct hp_read_options *options,
                 struct hp_input_record *record, struct hp_err *err) {
    struct hp_flaw fault = dump->damage;
    if (!fault.what && options->strict) {
        fault = dump->first_malformed;
    }
    if (!fault.what) {
        return HP_OK;
    }
    bool expected = fault.what == dump->first_malformed.what;
    hp_fail(err, HP_E_FORMAT, "%s%s", expected ? "expected " : "damaged: ", fault.what);
    err->line = fault.line;
    if (options->keep_damaged) {
        skip(record, HP_INPUT_KEPT_DAMAGED, err);
        return HP_OK;
    }
    return HP_E_FORMAT;
}

static int take_input(struct worker *worker, size_t i, struct hp_err *err) {
    struct job *job = worker->job;
    struct hp_input_record *record = &job->records[i];
    bool is_elf;
    int ret =
        hp_reader_read(&worker->reader, record->public.name, &worker->dump, &is_elf, err);
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
    record->content.of[1] ^= record->is_base; // may be on both sides of a diff
    record->has_content = true;
    if (!hp_claims_take(&job->claims, record->content)) {
        record->public.status = HP_INPUT_REPEATED;
        return HP_OK;
    }
    return hp_merge(&worker->merger, &worker->dump, worker->profile, record, err);
}

static void tell_progress(struct worker *worker) {
    struct job *job = worker->job;
    if (!job->options->progress) {
        return;
    }
    pthread_mutex_lock(&job->progress_lock);
    job->progress.done++;
    job->progress.bytes += worker->dump.bytes;
    job->progress.stacks += worker->dump.stacks.count;
    job->options->progress(job->options->progress_data, &job->progress);
    pthread_mutex_unlock(&job->progress_lock);
}

static void *work(void *data) {
    struct worker *worker = data;
    struct job *job = worker->job;
    for (size_t i; (i = atomic_fetch_add(&job->next, 1)) < job->count;) {
        struct hp_err err = {0};
        job->records[i].public.name = job->paths[i];
        job->records[i].number = (uint32_t)i;
        job->records[i].is_base = i < job->options->base_count;
        if (take_input(worker, i, &err) != HP_OK) {
            skip(&job->records[i], HP_INPUT_SKIPPED, &err);
        }
        tell_progress(worker);
    }
    return NULL;
}

static void worker_init(struct worker *worker, struct job *job,
                        struct hp_profile *profile) {
    *worker = (struct worker){.job = job, .profile = profile};
    worker->reader.limit = job->options->max_input_size;
    worker->reader.single = job->count == 1;
    worker->reader.keeps_labels = job->options->labels || job->options->thread;
    worker->reader.keeps_threads = job->options->threads || job->options->thread;
    worker->merger.keeps_labels = job->options->labels;
    worker->merger.splits_threads = worker->reader.keeps_threads;
    worker->merger.only_thread = job->options->thread;
}

static void worker_done(struct worker *worker) {
    hp_reader_done(&worker->reader);
    hp_dump_done(&worker->dump);
    hp_merger_done(&worker->merger);
}

static size_t thread_count(const struct hp_read_options *options, size_t inputs) {
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = options->jobs ? options->jobs : cpus > 0 ? (size_t)cpus : 1;
    return wanted < inputs ? wanted : inputs > 0 ? inputs : 1;
}

// What the inputs themselves say holds until a binary says better.
static void settle_told(const struct hp_told *told, struct hp_profile *profile) {
    size_t disputed = hp_told_settle(told, profile);
    if (disputed > 0) {
        hp_profile_warn(profile,
                        "%zu address%s different names in different inputs: they may be "
                        "of different builds",
                        disputed, disputed == 1 ? " has" : "es have");
    }
}

// The calling thread is the first worker; a thread that cannot be started is one less.
static void run(struct job *job, struct hp_profile *profile) {
    size_t count = thread_count(job->options, job->count), started = 1;
    struct worker *workers = hp_alloc(count * sizeof *workers);
    struct hp_profile *profiles = hp_alloc(count * sizeof *profiles);
    worker_init(&workers[0], job, profile);
    for (; started < count; started++) {
        struct worker *worker = &workers[started];
        hp_profile_init(&profiles[started]);
        profiles[started].estimator = profile->estimator;
        profiles[started].keep = profile->keep;
        profiles[started].history.is_kept = profile->history.is_kept;
        worker_init(worker, job, &profiles[started]);
        if (pthread_create(&worker->thread, NULL, work, worker) != 0) {
            hp_profile_done(&profiles[started]);
            break;
        }
    }
    work(&workers[0]);
    struct hp_told *told = &workers[0].merger.told;
    for (size_t i = 1; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
        hp_told_absorb(told, profile, &workers[i].merger.told, &profiles[i]);
        worker_done(&workers[i]);
        hp_profile_absorb(profile, &profiles[i]);
    }
    settle_told(told, profile);
    worker_done(&workers[0]);
    free(profiles);
    free(workers);
}

// What sampling leaves open of a difference of two profiles is not in it.
static void forget_errors_of_differences(struct hp_profile *profile) {
    bool has_difference = false;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        has_difference |= input->negative > 0;
    }
    for (enum hp_column i = 0; i < HP_COLUMNS && has_difference; i++) {
        profile->keep = HP_ERRORS_NONE;
        hp_vec_done(&profile->errors[i]);
    }
}

// What follows from the names, once each is with its content.
static void settle_names(struct hp_input_record *records, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct hp_input_record *record = &records[i];
        size_t size = 0;
        record->pid = hp_reader_pid(record->public.name, &size);
        record->process = hp_hash_bytes(record->public.name, size, hp_hash_key());
        if (record->public.err.code != HP_OK) {
            hp_err_locate(&record->public.err, record->public.name,
                          record->public.err.line);
        }
    }
}

// --- what came of it ----------------------------------------------------------------

// So that the order in which inputs are given changes nothing, not even a warning.
static int by_name(const void *left, const void *right) {
    const struct hp_input_record *a = left, *b = right;
    return strcmp(a->public.name, b->public.name);
}

struct by_content {
    struct hp_digest content;
    size_t input;
};

static int compare_content(const void *left, const void *right) {
    const struct by_content *a = left, *b = right;
    int order = memcmp(&a->content, &b->content, sizeof a->content);
    return order ? order : (a->input > b->input) - (a->input < b->input);
}

// What was read of the one is the other's, who has the same content.
static void swap_contents(struct hp_input_record *a, struct hp_input_record *b) {
    struct hp_input_record kept = *a;
    const char *names[2] = {a->public.name, b->public.name};
    *a = *b;
    *b = kept;
    a->public.name = names[0];
    b->public.name = names[1];
}

// Records [first, last) of `order` have one content.  One was read, whichever came first in
// time; let it be the one that comes first in order.  If it could not be used after all,
// none can.
static void settle(struct hp_input_record *records, const struct by_content *order,
                   size_t first, size_t last) {
    struct hp_input_record *kept = &records[order[first].input];
    for (size_t i = first + 1; i < last; i++) {
        struct hp_input_record *record = &records[order[i].input];
        if (record->public.status != HP_INPUT_REPEATED) {
            swap_contents(kept, record);
        }
    }
    for (size_t i = first + 1; i < last; i++) {
        struct hp_input_record *record = &records[order[i].input];
        if (kept->public.status == HP_INPUT_SKIPPED) {
            record->public.status = HP_INPUT_SKIPPED;
            record->public.err = kept->public.err;
        }
    }
}

static bool same_content(const struct by_content *a, const struct by_content *b) {
    return memcmp(&a->content, &b->content, sizeof a->content) == 0;
}

// Returns the first input that repeats another, or `count`.
static size_t settle_repeats(struct hp_input_record *records, size_t count) {
    struct by_content *order = hp_alloc(count * sizeof *order);
    size_t read = 0, first_repeated = count;
    for (size_t i = 0; i < count; i++) {
        if (records[i].has_content) {
            order[read++] = (struct by_content){records[i].content, i};
        }
    }
    qsort(order, read, sizeof *order, compare_content);
    for (size_t first = 0, last; first < read; first = last) {
        last = first + 1;
        while (last < read && same_content(&order[last], &order[first])) {
            last++;
        }
        settle(records, order, first, last);
        if (last > first + 1 && order[first + 1].input < first_repeated) {
            first_repeated = order[first + 1].input;
        }
    }
    free(order);
    return first_repeated;
}

static int refuse_repeat(const struct hp_input_record *records, size_t repeated,
                         struct hp_err *err) {
    size_t first = 0;
    while (memcmp(&records[first].content, &records[repeated].content,
                  sizeof records->content) != 0) {
        first++;
    }
    hp_fail(err, HP_E_DUPLICATE,
            "the same dump as %s: give it once, or --on-duplicate=skip",
            records[first].public.name);
    hp_err_locate(err, records[repeated].public.name, 0);
    return HP_E_DUPLICATE;
}

static int refuse_skipped(const struct hp_profile *profile, size_t skipped,
                          struct hp_err *err) {
    bool all_limits = true;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        bool is_skipped = input->public.status == HP_INPUT_SKIPPED;
        all_limits &= !is_skipped || input->public.err.code == HP_E_LIMIT;
    }
    return hp_fail(err, all_limits ? HP_E_LIMIT : HP_E_FORMAT,
                   "%zu of %zu inputs cannot be used, more than are allowed", skipped,
                   profile->inputs.count);
}

// No stack is beyond reason, but all together may be.
static bool total_fits(const struct hp_profile *profile) {
    struct hp_values total = {{0}};
    bool fits = !profile->overflow;
    const struct hp_stack *stack;
    hp_vec_each (stack, &profile->stacks) {
        fits &= hp_values_add(&total, &stack->values);
    }
    return fits;
}

static int judge(const struct hp_profile *profile, const struct hp_read_options *options,
                 struct hp_err *err) {
    size_t skipped = 0, used = 0, count = profile->inputs.count;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        skipped += input->public.status == HP_INPUT_SKIPPED;
        used += input->public.status <= HP_INPUT_KEPT_DAMAGED;
    }
    double share = options->max_skipped_share * (double)count;
    if (skipped > options->max_skipped && (double)skipped > share) {
        return refuse_skipped(profile, skipped, err);
    }
    if (used == 0) {
        return hp_fail(err, HP_E_EMPTY, "nothing to report: no input could be used");
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

int hp_read_inputs(struct hp_profile *profile, const char *const *paths, size_t count,
                   const struct hp_read_options *options, struct hp_err *err) {
    hp_vec_reserve(&profile->inputs, count);
    memset(profile->inputs.at, 0, count * sizeof *profile->inputs.at);
    profile->inputs.count = count;
    struct job job = {
        .paths = paths,
        .count = count,
        .options = options,
        .records = profile->inputs.at,
        .progress = {.phase = "reading", .total = count},
    };
    pthread_mutex_init(&job.progress_lock, NULL);
    hp_claims_init(&job.claims);
    run(&job, profile);
    hp_history_sort(&profile->history);
    forget_errors_of_differences(profile);
    hp_claims_done(&job.claims);
    pthread_mutex_destroy(&job.progress_lock);
    if (count > 0) {
        qsort(profile->inputs.at, count, sizeof *profile->inputs.at, by_name);
    }
    size_t repeated = settle_repeats(profile->inputs.at, count);
    settle_names(profile->inputs.at, count);
    if (repeated < count && !options->skip_duplicates) {
        return refuse_repeat(profile->inputs.at, repeated, err);
    }
    return judge(profile, options, err);
}
