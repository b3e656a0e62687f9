// Stacks of a job that memory is to hold no more than some bytes of: the rest is written to the store of
// its profile.  Without one they stay.
#ifndef HP_LIB_JOB_MEMORY_H
#define HP_LIB_JOB_MEMORY_H

#include "lib/workers.h"

// Threads that read: each has a dump in memory as well.
size_t hp_job_thread_count(const struct hp_job *job);

// What stacks may take, of dumps and of partials, of each thread; 0 without a store.
uint64_t hp_job_share_of_memory(const struct hp_job *job);

// The stacks of a thread's profile, which is the caller's alone.
void hp_job_spill_if_full(struct hp_job *job, struct hp_profile *profile);

// Add a partial to those that have been read: all of them have the share of one that is.
void hp_job_set_aside(struct hp_job *job, struct hp_taken *taken);

// What is left of partials that a thread has read, where the others of their stacks are runs.
void hp_job_pack_rest(struct hp_job *job, struct hp_taken *taken);

#endif
