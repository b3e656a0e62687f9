// Runs: stacks that memory does not hold, in the order of partials, to be merged when one is written.
//
// They are written to one file without a name, or kept in memory, packed.  A run numbers the frames that
// its profile had by then in canonical order, which no frame that comes later changes.
#ifndef HP_MODEL_STACK_RUNS_H
#define HP_MODEL_STACK_RUNS_H

#include "base/err.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "model/values.h"

#include <pthread.h>
#include <stdbool.h>

// Whose frames they are, but for those of HP_RUN_OWN, which are the profile's as they are called.
#define HP_RUN_OWN   UINT32_MAX
#define HP_RUN_FINAL (UINT32_MAX - 1) // and those of HP_RUN_FINAL are numbered as in it

struct hp_stack_run {
    char *bytes;           // in memory; NULL: in the file of the store, from
    uint64_t offset, size; // there on
    uint64_t stacks;
    uint64_t first;      // number of the first of them, among those of all runs
    uint32_t source;     // in `sources`
    uint32_t frames;     // so many of the first that it had
    const char *partial; // that it is of, as it stands there; NULL: it was written here
    HP_VEC(hp_string) sets; // of labels, by their numbers in the run, from 1 on
};

// What wrote runs, this profile or another, or a partial: what its frames are called.
struct hp_run_source {
    size_t first_frame; // in `frames` of all runs
    HP_VEC(uint32_t)
    ends; // of a partial: behind how many frames those of each module end
};

// {0} has none.
struct hp_stack_runs {
    HP_VEC(struct hp_stack_run) all;
    HP_VEC(struct hp_run_source) sources;
    HP_VEC(uint32_t) frames; // of all sources, as the profile calls them
    uint64_t stacks;         // of all of them
    struct hp_values total;  // of these
    bool overflow;           // a sum did not fit
};

// Frame i of `count` of the profile becomes map[i]: its own runs are of a source from now on.
void hp_stack_runs_settle(struct hp_stack_runs *runs, const uint32_t *map, size_t count);

// One more, whose number of stacks is known.
void hp_stack_runs_add(struct hp_stack_runs *runs, struct hp_stack_run *run);

void hp_stack_run_done(struct hp_stack_run *run);
void hp_stack_runs_done(struct hp_stack_runs *runs);

// --- where they are written to -------------------------------------------------------------

struct hp_run_store {
    char *folder;  // of the file; NULL: in memory
    uint64_t room; // for stacks in memory, of all threads, in bytes
    pthread_mutex_t lock;
    int fd; // -1: there is no file yet
    uint64_t size;
    uint64_t kept; // bytes of runs of partials that are in memory
};

struct hp_run_store *hp_run_store_new(const char *folder, uint64_t room);
void hp_run_store_free(struct hp_run_store *store);

// A run that is written, from begin to end; nobody else writes one to the store meanwhile.
struct hp_run_output {
    struct hp_run_store *store; // NULL: it is written in memory
    struct hp_stack_run *run;
    size_t room;
};

HP_MUST_CHECK int hp_run_begin(struct hp_run_output *out, struct hp_run_store *store,
                               struct hp_stack_run *run, struct hp_err *err);
int hp_run_put(void *out, const void *bytes, size_t size); // a hp_write_fn
void hp_run_end(struct hp_run_output *out);

// It could not be written, as `sys` says: an error that names the folder.  Returns HP_E_OUTPUT.
int hp_run_fail_write(const struct hp_run_store *store, int sys, struct hp_err *err);

// Once it has been written in memory: it stays there if there is room.
HP_MUST_CHECK int hp_run_keep(struct hp_run_store *store, struct hp_stack_run *run,
                              struct hp_err *err);

// --- and read from -------------------------------------------------------------------------

struct hp_run_input {
    const struct hp_stack_run *run;
    int fd; // of the store; not used if it is in memory
    uint64_t at;
};

// `size` bytes, fewer only at the end; *got says how many.
int hp_run_read(void *in, void *bytes, size_t size, size_t *got, struct hp_err *err);

#endif
