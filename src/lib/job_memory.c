#include "lib/job_memory.h"

#include "partial/runs.h"

#include <unistd.h>

enum {
    THREAD_ROOM = 8 << 20, // least bytes of stacks in memory for each thread
};

size_t hp_job_thread_count(const struct hp_job *job) {
    // The number of inputs in an archive is unknown.
    size_t inputs = job->queue.archives.count > 0 ? SIZE_MAX : job->queue.count;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = job->options->jobs ? job->options->jobs : cpus > 0 ? (size_t)cpus : 1;
    if (job->profile->store) {
        size_t most = (size_t)(job->profile->store->room / THREAD_ROOM);
        most = most > 0 ? most : 1;
        wanted = wanted < most ? wanted : most;
    }
    return wanted < inputs ? wanted : inputs > 0 ? inputs : 1;
}

uint64_t hp_job_share_of_memory(const struct hp_job *job) {
    return job->profile->store ? job->profile->store->room / job->threads / 2 : 0;
}

// Write the stacks of a profile to the store by `write`.  An error is recorded in
// job->run_err.
static void write_run(struct hp_job *job, struct hp_profile *profile,
                      int (*write)(struct hp_profile *, struct hp_run_store *,
                                   struct hp_err *)) {
    struct hp_err err = {0};
    if (hp_profile_can_spill(profile) &&
        write(profile, job->profile->store, &err) != HP_OK) {
        pthread_mutex_lock(&job->lock);
        job->run_err = err;
        pthread_mutex_unlock(&job->lock);
    }
}

// Write all stacks of a profile to the store as a run.
static void spill(struct hp_job *job, struct hp_profile *profile) {
    write_run(job, profile, hp_profile_spill);
}

void hp_job_spill_if_full(struct hp_job *job, struct hp_profile *profile) {
    if (job->profile->store &&
        hp_profile_stack_memory(profile) > hp_job_share_of_memory(job)) {
        spill(job, profile);
    }
}

void hp_job_set_aside(struct hp_job *job, struct hp_taken *taken) {
    uint64_t size = hp_profile_stack_memory(&taken->profile);
    pthread_mutex_lock(&job->lock);
    bool stays = !job->profile->store || job->profile->prover ||
                 job->aside + size <= hp_job_share_of_memory(job);
    job->aside += stays ? size : 0;
    hp_vec_push(&job->taken, taken);
    pthread_mutex_unlock(&job->lock);
    if (!stays) {
        spill(job, &taken->profile);
    }
}

void hp_job_pack_rest(struct hp_job *job, struct hp_taken *taken) {
    if (taken && taken->profile.runs.all.count > 0) {
        write_run(job, &taken->profile, hp_profile_pack);
    }
}
