// Reading inputs with several threads: each takes the next, reads it, and merges it into a
// profile of its own; the profiles are added up at the end.  Sums are exact, so it does not
// matter who took what.
//
// Which dumps are of one process is known when all have been read.  Of a process that which is
// read first is added up, of the others it is only estimated what they hold; the order is such
// that the first is nearly always the one that counts.  Where it was not, the stacks are let
// go of, and those that count are read again.  So memory is that of one dump of each process.
#ifndef HP_LIB_WORKERS_H
#define HP_LIB_WORKERS_H

#include "lib/duplicates.h"
#include "lib/given_map.h"
#include "lib/input_groups.h"
#include "lib/input_queue.h"
#include "lib/lone_inputs.h"
#include "lib/partial_inputs.h"
#include "lib/unloaded.h"
#include "model/profile.h"

#include <time.h>

struct hp_job {
    const struct hp_read_options *options;
    struct hp_profile *profile; // whose inputs are the records
    bool adds_all;              // whatever process they are of
    time_t start;
    struct hp_given_map given;
    struct hp_input_queue queue;
    struct hp_contents contents, claims; // dumps, and processes
    // Of each path whether its name is that of the newest of its process; NULL: nobody looked.
    const bool *is_newest;
    // A partial tells what each dump added as long as they are few.  Then: of which files they are,
    // and which texts, so that it is seen when they are more and nobody keeps it any longer.
    struct hp_contents files, texts;
    bool may_fold_history;
    bool groups_inputs;
    bool sets_lone_aside; // until it is known what they have to do with others

    pthread_mutex_t lock;    // of the rest
    size_t named, differing; // at least so many dumps count, whatever is found later
    bool folds_history;
    struct hp_input_groups groups; // those that are no records of their own
    struct hp_lone_inputs lone;    // those that may be none
    struct hp_progress progress;
    struct hp_embedded_symbols embedded; // of the profile's frames
    struct hp_taken_all taken;           // partials, which are read the first time alone
    uint64_t aside;            // bytes that stacks of shards take which have been read
    struct hp_err partial_err; // of the first that cannot be used; the read fails
    struct hp_err run_err;     // of stacks that could not be written; so does it then
    size_t threads;            // that read
    struct hp_unloaded
        *unloaded;    // what dumps lack in their maps, when they are read again; or NULL
    uint32_t numbers; // of inputs are below; known once all have been read
    const uint32_t
        *record_of; // of each number, when it is read again; NULL: the first time
};

// Read them all, and add those that may count to the profile; the records are in any order.
void hp_job_read(struct hp_job *job);

// Let go of all stacks, and add the inputs that are wanted; record_of[n] is the place of the
// record of number n.  One that has become another since is skipped.
void hp_job_read_again(struct hp_job *job, const bool *is_wanted,
                       const uint32_t *record_of);

#endif
