// Runs: stacks that are not held in memory as such, but in the sorted order of partials,
// so that they can be merged when a partial is written.
//
// Runs are written to one unnamed file, or kept packed in memory.  Frames are numbered in
// each run by the canonical order of the frames that its profile had at that time; frames
// that are added later do not change these numbers.
#ifndef HP_MODEL_STACK_RUNS_H
#define HP_MODEL_STACK_RUNS_H

#include "base/err.h"
#include "base/strtab.h"
#include "base/values.h"
#include "base/vec.h"

#include <pthread.h>
#include <stdbool.h>

// Special values of `source` in struct hp_stack_run.  HP_RUN_OWN: the frames are those of
// this profile, by their current numbers.
#define HP_RUN_OWN UINT32_MAX
// Frames and labels have the numbers of the partial that is being written.
#define HP_RUN_FINAL (UINT32_MAX - 1)

// One run: a sorted sequence of stacks that is kept outside of the profile's arrays, in a
// file or compressed in memory.
struct hp_stack_run {
    char *bytes; // the run, if it is in memory; NULL: it is in the file of the store
    uint64_t offset, size; // position in the file of the store, and bytes of the run
    uint64_t stacks;       // number of stacks in the run
    uint64_t first;        // number of its first stack among the stacks of all runs
    uint32_t source;       // index in `sources`, or HP_RUN_OWN or HP_RUN_FINAL
    uint32_t frames; // number of frames that the profile had when the run was written
    // Name of the partial that the run was copied from; NULL: written by this program.
    const char *partial;
    // Sets of labels in profile->tags.sets, by their number in the run minus 1.
    HP_VEC(hp_string) sets;
};

// A writer of runs: this profile, another one, or a partial.  It defines the frame
// numbers of its runs.
struct hp_run_source {
    size_t first_frame;    // index of its first frame in hp_stack_runs.frames
    HP_VEC(uint32_t) ends; // for a partial: number of frames up to the end of each module
};

// All runs of a profile.  {0} is empty.
struct hp_stack_runs {
    HP_VEC(struct hp_stack_run) all;
    HP_VEC(struct hp_run_source) sources;
    HP_VEC(uint32_t) frames; // frames of all sources, as numbers of frames in the profile
    uint64_t stacks;         // number of stacks in all runs
    struct hp_values total;  // sum over all stacks of all runs
    bool overflow;           // a sum did not fit
};

// Renumber the frames that runs refer to: frame i of `count` of the profile becomes
// map[i].  Runs with HP_RUN_OWN get a common new source, which maps their frame numbers
// to the new ones.
void hp_stack_runs_settle(struct hp_stack_runs *runs, const uint32_t *map, size_t count);

// Append a run, whose member `stacks` is set; sets `first`.  Takes ownership of its
// memory.
void hp_stack_runs_add(struct hp_stack_runs *runs, struct hp_stack_run *run);

// Free the memory of a run, but not the struct.
void hp_stack_run_done(struct hp_stack_run *run);
void hp_stack_runs_done(struct hp_stack_runs *runs);

// --- where they are written to ---------------------------------------------------------

// The destination of runs: one file, or memory.  Threads share one store.
struct hp_run_store {
    char *folder;  // folder of the file; NULL: runs are kept in memory
    uint64_t room; // bytes available for stacks in memory, for all threads together
    pthread_mutex_t lock; // held while a run is written, and for `size` and `kept`
    int fd;               // the file; -1: not created yet
    uint64_t size;        // bytes of the file that are in use
    uint64_t kept;        // bytes of runs that were kept in memory by hp_run_keep()
};

// Allocate a store; no file is created until it is needed.
struct hp_run_store *hp_run_store_new(const char *folder, uint64_t room);
void hp_run_store_free(struct hp_run_store *store);

// A run that is being written, between hp_run_begin() and hp_run_end().  The store is
// locked meanwhile, so that no other thread can write to it.
struct hp_run_output {
    struct hp_run_store *store; // NULL: the run is written to memory
    struct hp_stack_run *run;
    size_t room; // capacity of run->bytes
};

// Begin a run.  Locks the store, and creates its file if necessary; if that fails, the
// store is not locked.
HP_MUST_CHECK int hp_run_begin(struct hp_run_output *out, struct hp_run_store *store,
                               struct hp_stack_run *run, struct hp_err *err);
// Appends to the run; is a hp_write_fn, and returns -1 with errno on failure.
int hp_run_put(void *out, const void *bytes, size_t size);
// End the run, and unlock the store.  Must also be called if hp_run_put() failed.
void hp_run_end(struct hp_run_output *out);

// Set an error that says that a run could not be written, with the errno `sys` and the
// name of the folder.  Returns HP_E_OUTPUT.
int hp_run_fail_write(const struct hp_run_store *store, int sys, struct hp_err *err);

// Leave a run in memory, to which it was written, if all such runs take no more than a
// quarter of store->room or there is no file; otherwise move it to the file.
HP_MUST_CHECK int hp_run_keep(struct hp_run_store *store, struct hp_stack_run *run,
                              struct hp_err *err);

// --- and read from ---------------------------------------------------------------------

// A run that is being read.
struct hp_run_input {
    const struct hp_stack_run *run;
    int fd;      // file of the store; ignored if the run is in memory
    uint64_t at; // bytes read so far
};

// Read `size` bytes, or fewer at the end of the run; sets `*got` to their number.  `in`
// is a struct hp_run_input.
int hp_run_read(void *in, void *bytes, size_t size, size_t *got, struct hp_err *err);

#endif
