// The limit of memory for the stacks of a job.  Stacks beyond the limit are written to
// the run store of the profile.  Without a store all stacks stay in memory.
#ifndef HP_LIB_JOB_MEMORY_H
#define HP_LIB_JOB_MEMORY_H

#include "lib/workers.h"

// Return the number of threads that read.  Each has a dump in memory as well.
size_t hp_job_thread_count(const struct hp_job *job);

// Return how many bytes the stacks of one thread may take, separately for dumps and for
// partials.  0: there is no store, so any number.
uint64_t hp_job_share_of_memory(const struct hp_job *job);

// Write the stacks of a thread's profile to the store if they take more than its share.
// Only the calling thread may use that profile.
void hp_job_spill_if_full(struct hp_job *job, struct hp_profile *profile);

// Append a partial to job->taken.  All partials there together have the share of one
// thread; beyond it the stacks are written to the store.
void hp_job_set_aside(struct hp_job *job, struct hp_taken *taken);

// Pack the stacks that are left in memory of a thread's partials, if other stacks of
// these were written to the store.  `taken` may be NULL.
void hp_job_pack_rest(struct hp_job *job, struct hp_taken *taken);

#endif
