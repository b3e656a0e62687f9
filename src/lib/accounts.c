// Matches dumps with the statistics of their processes, reads both, checks that they are
// of one process, and attaches the accounts to the profile.
#include "lib/accounts.h"

#include "input/input_stream.h"
#include "input/malloc_stats.h"
#include "input/smaps.h"
#include "lib/read.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MOST_NAMED = 10,      // files that warnings name; the others are counted
    NEAR_STACK = 4 << 20, // most bytes that the kernel maps after the main stack
};

// The paths of the files of one process; NULL: missing.
struct account_group {
    const char *dump, *stats, *smaps;
};

// The state of one read of dumps with statistics.
struct account_job {
    struct hp_strtab stems; // paths without their endings
    // For each stem, by its number, the files with this stem.
    HP_VEC(struct account_group) groups;
    HP_VEC(const char *) dumps; // dumps of the groups that have statistics
    // For each of `dumps` the statistics of its process.
    HP_VEC(struct hp_account) accounts;
};

// --- which file is what ----------------------------------------------------------------

// Return the path without its ending and compression: "run/app.7.heap.gz" belongs to
// "run/app.7".
static struct hp_span stem_of(const char *path) {
    static const char *const packed[] = {".gz", ".zst"};
    struct hp_span stem = hp_span_of(path);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        if (hp_span_ends(stem, packed[i])) {
            stem.size -= strlen(packed[i]);
        }
    }
    const char *name = hp_span_basename(stem).at;
    const char *dot = memrchr(name, '.', (size_t)(stem.at + stem.size - name));
    stem.size = dot && dot > name ? (size_t)(dot - stem.at) : stem.size;
    return stem;
}

// The kind of a file of a process: its dump, its statistics or its smaps.
enum account_part {
    DUMP,
    STATS,
    SMAPS,
};

// Find out the kind of a file by its first bytes.  A file that cannot be opened counts as
// a dump: the reader of dumps reports why.  Input that is no regular file also counts as
// a dump, because it can be read only once.
static enum account_part part_of(const char *path) {
    struct hp_input_stream stream = {.waits = false};
    struct hp_err err;
    struct stat info;
    enum account_part part = DUMP;
    if (strcmp(path, "-") == 0 || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return DUMP;
    }
    if (hp_input_stream_open(&stream, path, 0, &err) == HP_OK) {
        struct hp_span head = {stream.at, stream.size};
        part = hp_malloc_stats_is(head) ? STATS : hp_smaps_is(head) ? SMAPS : DUMP;
    }
    hp_input_stream_done(&stream);
    return part;
}

// Put a file into the group of files with its stem (its path without the ending).
// HP_E_USAGE if the group has a file of this kind already.
static int put_file(struct account_job *job, const char *path, struct hp_err *err) {
    static const char *const names[] = {"dumps", "files of statistics", "smaps"};
    hp_string stem = hp_strtab_add(&job->stems, stem_of(path));
    struct account_group *group = hp_vec_reach(&job->groups, stem.n);
    enum account_part part = part_of(path);
    const char **place = part == DUMP    ? &group->dump
                         : part == STATS ? &group->stats
                                         : &group->smaps;
    if (*place) {
        hp_fail(err, HP_E_USAGE,
                HP_MESSAGE("account-name-twice",
                           "%s has the same name: two %s of one process"),
                *place, names[part]);
        hp_err_locate(err, path, 0);
        return err->code;
    }
    *place = path;
    return HP_OK;
}

// --- what they say ---------------------------------------------------------------------

// Read the statistics and smaps of one process (a group of files), and append its account
// and its dump to the job.
static int read_group(struct account_job *job, const struct account_group *group,
                      const struct hp_read_options *options, struct hp_err *err) {
    struct hp_account account = {.has_maps = group->smaps != NULL};
    int ret = hp_malloc_stats_read(&account.stats, group->stats, options, err);
    if (ret != HP_OK) {
        hp_err_locate(err, group->stats, err->line);
    } else if (group->smaps) {
        ret = hp_smaps_read(&account.maps, group->smaps, options, err);
    }
    if (ret != HP_OK) {
        hp_err_locate(err, group->smaps ? group->smaps : group->stats, err->line);
        hp_account_done(&account);
        return ret;
    }
    hp_vec_push(&job->accounts, account);
    hp_vec_push(&job->dumps, group->dump);
    return HP_OK;
}

// Warn about files that are skipped because their counterpart is missing.
static void warn_of_parts(struct hp_profile *profile, const struct account_job *job) {
    const struct account_group *group;
    size_t left_out = 0;
    hp_vec_each (group, &job->groups) {
        bool is_whole = group->dump && group->stats;
        if (!group->dump && !group->stats && !group->smaps) {
            continue; // no file has this stem
        }
        left_out += !is_whole;
        if (!is_whole && left_out <= MOST_NAMED) {
            const char *name = group->dump    ? group->dump
                               : group->stats ? group->stats
                                              : group->smaps;
            hp_profile_warn(profile,
                            HP_MESSAGE("account-name-alone",
                                       "%s has no %s of its name next to it: skipped"),
                            name, group->dump ? "statistics" : "dump");
        }
    }
    if (left_out > MOST_NAMED) {
        hp_profile_warn(
            profile,
            HP_MESSAGE("account-more-alone",
                       "%zu more files without the others of their name: skipped"),
            left_out - MOST_NAMED);
    }
}

static int by_path(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

// Put all files into groups, ordered by name, so that errors do not depend on the order
// in which they are given.
static int put_files(struct account_job *job, const char *const *paths, size_t count,
                     struct hp_err *err) {
    HP_VEC(const char *) sorted = {0};
    int ret = HP_OK;
    hp_vec_append(&sorted, paths, count);
    hp_vec_sort(&sorted, by_path);
    for (size_t i = 0; ret == HP_OK && i < count; i++) {
        ret = put_file(job, sorted.at[i], err);
    }
    hp_vec_done(&sorted);
    return ret;
}

// Group the files, and read the statistics of all groups with a dump into job->accounts.
// If options->stats is set, paths[0] is the only dump, and its statistics are those that
// the options name.
static int gather(struct account_job *job, const char *const *paths, size_t count,
                  const struct hp_read_options *options, struct hp_err *err) {
    if (options->stats && count == 1) {
        struct account_group one = {.dump = paths[0], .stats = options->stats};
        one.smaps = options->smaps;
        return read_group(job, &one, options, err);
    }
    if (options->stats || options->smaps) {
        return hp_fail(
            err, HP_E_USAGE,
            HP_MESSAGE(
                "stats-of-one-dump",
                "--stats and --smaps need one dump. Of several, put each next to its "
                "dump"));
    }
    int ret = put_files(job, paths, count, err);
    const struct account_group *group;
    hp_vec_each (group, &job->groups) {
        if (ret == HP_OK && group->dump && group->stats) {
            ret = read_group(job, group, options, err);
        }
    }
    return ret == HP_OK && job->accounts.count == 0
               ? hp_fail(
                     err, HP_E_USAGE,
                     HP_MESSAGE(
                         "stats-none",
                         "account also needs the allocator's statistics: --stats=FILE, "
                         "of malloc_stats_print(..., \"J\")"))
               : ret;
}

// --- whether they are of one process ---------------------------------------------------

// Add the name of a dump to an error, and return the code of the error.
static int refuse(const struct hp_input_record *input, struct hp_err *err) {
    hp_err_locate(err, input->public.name, 0);
    return err->code;
}

// Return HP_E_FORMAT if the sample period of the dump differs from that of the
// statistics.
static int check_period(const struct hp_input_record *input,
                        const struct hp_allocator_stats *stats, struct hp_err *err) {
    uint64_t period = (uint64_t)1 << stats->lg_sample;
    if (!stats->has_sampling || input->period == period) {
        return HP_OK;
    }
    hp_fail(err, HP_E_FORMAT,
            HP_MESSAGE(
                "stats-period-differs",
                "its sample period is %llu, the statistics say %llu: another process, or "
                "prof.reset"),
            (unsigned long long)input->period, (unsigned long long)period);
    return refuse(input, err);
}

// Return whether the smaps are certainly of another process than the dump.  Addresses are
// random, so vdso and main stack identify a process.
static bool is_other_process(const struct hp_kernel_maps *maps, struct hp_digest map) {
    if ((map.of[0] | map.of[1]) == 0 || map.of[0] >> 63 != 0) {
        return false; // unknown, or a digest of files only, which may change
    }
    if (!maps->is_rollup) {
        return (maps->map.of[0] | maps->map.of[1]) != 0 && maps->map.of[0] >> 63 == 0 &&
               memcmp(&maps->map, &map, sizeof map) != 0;
    }
    uint64_t last = map.of[0] > map.of[1] ? map.of[0] : map.of[1];
    return last < maps->from || last > maps->to || maps->to - last > NEAR_STACK;
}

// Return HP_E_FORMAT if the smaps are of another process than the dump.
static int check_maps(const struct hp_input_record *input,
                      const struct hp_account *account, struct hp_err *err) {
    if (!account->has_maps || !is_other_process(&account->maps, input->identity.map)) {
        return HP_OK;
    }
    hp_fail(
        err, HP_E_FORMAT,
        HP_MESSAGE("smaps-of-other-process",
                   "its smaps are of another process: vdso and main stack are at other "
                   "addresses"));
    return refuse(input, err);
}

// Return HP_E_UNSUPPORTED if the dump is not of jemalloc, HP_E_FORMAT if it and its
// account are of different processes.
static int check(const struct hp_input_record *input, const struct hp_account *account,
                 struct hp_err *err) {
    if (input->producer != HP_PRODUCER_JEMALLOC) {
        hp_fail(
            err, HP_E_UNSUPPORTED,
            HP_MESSAGE("account-not-jemalloc",
                       "statistics of jemalloc need dumps of jemalloc, and this is %s"),
            hp_producer_text(input->producer));
        return refuse(input, err);
    }
    int ret = check_period(input, &account->stats, err);
    return ret == HP_OK ? check_maps(input, account, err) : ret;
}

// Warn about forks: the memory that a fork shares with its parent is in both dumps, and
// in both statistics.
static void warn_of_forks(struct hp_profile *profile) {
    size_t forks = 0;
    const char *name = NULL;
    for (size_t i = 0; i < profile->inputs.accounts.count; i++) {
        const struct hp_input_record *input =
            &profile->inputs.records.at[profile->inputs.accounts.at[i].input];
        for (size_t k = 0; k < i; k++) {
            const struct hp_input_record *other =
                &profile->inputs.records.at[profile->inputs.accounts.at[k].input];
            bool is_known_map =
                (input->identity.map.of[0] | input->identity.map.of[1]) != 0;
            if (is_known_map && memcmp(&input->identity.map, &other->identity.map,
                                       sizeof input->identity.map) == 0) {
                name = name ? name : other->public.name;
                forks++;
                break;
            }
        }
    }
    if (forks > 0) {
        hp_profile_warn(
            profile,
            HP_MESSAGE(
                "forks-share-map",
                "%zu dump%s the memory map of %s or another. Memory from before a fork "
                "is in each"),
            forks, forks == 1 ? " has" : "s have", name);
    }
}

// Move each account of a used dump to the profile, after checking that both are of one
// process.
static int attach(struct hp_profile *profile, struct account_job *job,
                  struct hp_err *err) {
    for (size_t i = 0; i < profile->inputs.records.count; i++) {
        const struct hp_input_record *input = &profile->inputs.records.at[i];
        bool is_known = input->number < job->accounts.count && hp_input_is_used(input);
        if (!is_known) {
            continue;
        }
        struct hp_account *account = &job->accounts.at[input->number];
        int ret = check(input, account, err);
        if (ret != HP_OK) {
            return ret;
        }
        account->input = (uint32_t)i;
        hp_vec_push(&profile->inputs.accounts, *account);
        *account = (struct hp_account){.input = 0};
    }
    return HP_OK;
}

// Record for each dump how its allocator rounds large sizes, in
// profile->known_large_sizes.  The statistics show it, dumps do not.
static void keep_large_sizes(const struct account_job *job, struct hp_profile *profile) {
    const struct hp_account *account;
    hp_vec_each (account, &job->accounts) {
        bool has_pages = account->stats.has_pages;
        hp_vec_push(&profile->inputs.known_large_sizes,
                    (unsigned char)(has_pages ? HP_LARGE_PAGES : HP_LARGE_CLASSES));
    }
}

int hp_accounts_read(struct hp_profile *profile, const char *const *paths, size_t count,
                     const struct hp_read_options *options, struct hp_err *err) {
    struct account_job job = {.groups = {0}};
    int ret = gather(&job, paths, count, options, err);
    if (ret == HP_OK) {
        struct hp_read_options known = *options;
        known.count_duplicates |= !known.skip_duplicates; // forks have equal dumps
        keep_large_sizes(&job, profile);
        warn_of_parts(profile, &job);
        ret = hp_read_inputs(profile, job.dumps.at, job.dumps.count, &known, err);
    }
    if (ret == HP_OK) {
        ret = attach(profile, &job, err);
        warn_of_forks(profile);
    }
    struct hp_account *account;
    hp_vec_each (account, &job.accounts) {
        hp_account_done(account);
    }
    hp_vec_done(&job.accounts);
    hp_vec_done(&job.dumps);
    hp_vec_done(&job.groups);
    hp_strtab_done(&job.stems);
    return ret;
}
