// Read inputs with several threads.  Each thread takes the next input, reads it, and
// merges it into a profile of its own.  The profiles are added up at the end.  Sums are
// exact, so it does not matter which thread took which input.
//
// Which dumps are of one process is known only when all have been read.  Only the first
// dump of a process is added up; the others are estimated and not added.  The order of
// reading is such that the first is nearly always the one that is used.  Where it was
// not, all stacks are dropped, and the dumps that are used are read again.  So memory is
// needed for one dump of each process.
#ifndef HP_LIB_WORKERS_H
#define HP_LIB_WORKERS_H

#include "inputs/duplicates.h"
#include "lib/given_map.h"
#include "lib/input_groups.h"
#include "lib/input_queue.h"
#include "lib/lone_inputs.h"
#include "lib/partial_inputs.h"
#include "lib/perf_maps.h"
#include "lib/unloaded.h"
#include "model/profile.h"

#include <time.h>

// A read of many inputs.  Members above the lock are set before threads start, or have
// locks of their own.
struct hp_job {
    const struct hp_read_options *options;
    struct hp_profile *profile;  // the result; its `inputs` are the records of inputs
    bool adds_all;               // add every dump, whatever process it is of
    time_t start;                // time when the read began, in seconds since 1970
    struct hp_given_map given;   // the map of --maps
    struct hp_perf_maps maps;    // maps of generated code
    struct hp_input_queue queue; // the inputs
    // Dumps that were read, by content and name; processes with a dump that was added or
    // is being added.
    struct hp_contents contents, claims;
    // For each path, and member of an archive, by its name: it is the newest dump of its
    // process, or its process is unknown.  Members are examined if their names could be
    // read before.
    const bool *is_newest;
    size_t named_count; // the number of members of is_newest
    // Used to count dumps.  A partial records the history (the estimate of each stack in
    // each dump) only while dumps are few.  These sets of files and texts show early that
    // there are more, so that the history is dropped.
    struct hp_contents files, texts;
    bool may_fold_history; // the history may be dropped: the only report is a partial
    bool groups_inputs;    // inputs are put into `groups` once they have been read
    // Inputs are put into `lone` until it is known which of them share a process or a
    // content with other inputs.
    bool sets_lone_aside;

    pthread_mutex_t lock; // protects the rest
    // At least this many different dumps are used: those with different names (`named`),
    // and those with different texts (`differing`).
    size_t named, differing;
    bool folds_history;            // threads must drop the history of their profiles
    struct hp_input_groups groups; // inputs that have no record of their own
    struct hp_lone_inputs lone;    // inputs that may be lone, and then get no record
    struct hp_progress progress;   // passed to the caller's progress function
    struct hp_embedded_symbols embedded; // symbols of the profile's frames
    // Symbols of the frames of the batch's profile of dumps that are not added.
    struct hp_embedded_symbols embedded_aside;
    struct hp_taken_all taken; // partials; they are read only the first time
    uint64_t aside; // bytes that the stacks of shards in `taken` have in memory
    // Error of the first partial that cannot be used; the read fails.
    struct hp_err partial_err;
    struct hp_err run_err; // error of writing stacks to the store; the read fails
    size_t threads;        // number of reading threads
    // Libraries missing in the maps of dumps, when these are read again; or NULL.
    struct hp_unloaded *unloaded;
    // When inputs are read again: for each number of an input whether its dump is used;
    // the others are read for their rows only.  NULL: all are used.
    const bool *is_chosen;
    uint32_t numbers; // numbers of inputs are below this; known when all have been read
    // When inputs are read again: for each number of an input the index of its record.
    // NULL: inputs are read for the first time.
    const uint32_t *record_of;
};

// Read all inputs, and add the dumps that may be used to the profile.  The records of
// inputs in the profile are in no order.
void hp_job_read(struct hp_job *job);

// Whether all archives of a job are files, which can be read again.
bool hp_job_has_files_only(const struct hp_job *job);

// Drop all stacks, and read and add again each input whose number n has is_wanted[n] set.
// record_of[n] is the index of the record of input n.  An input that has changed since is
// skipped.
// If rows are collected, job->is_chosen says which of them are added.
void hp_job_read_again(struct hp_job *job, const bool *is_wanted,
                       const uint32_t *record_of);

#endif
