#include "lib/consecutive.h"

#include "lib/metadata.h"

// Least seconds from the first dump of a process to its last.
static const double least_seconds = 60;

// A process, with the times of its first and last file.
struct process_run {
    const struct hp_process *process;
    double first, last; // seconds since 1970
};

// All processes of one side.
struct runs {
    HP_VEC(struct process_run) of;
};

// Return dump number `i` of a process.
static const struct hp_input_record *dump_of(const struct hp_profile *profile,
                                             const struct hp_process *process,
                                             uint32_t i) {
    return &profile->inputs.at[profile->processes.dumps.at[process->first + i]];
}

// Fill in *run.  Returns whether all dumps of the process are files or members of
// archives, their times rise with the numbers in their names, and the process ran long
// enough.
static bool find_run(const struct hp_profile *profile, const struct hp_process *process,
                     struct process_run *run) {
    bool has_numbers = process->newest_by == HP_NEWEST_BY_SEQUENCE ||
                       process->newest_by == HP_NEWEST_BY_NUMBER;
    bool rises = process->dumps > 1 && has_numbers && process->chosen != HP_NO_INPUT;
    *run = (struct process_run){.process = process};
    for (uint32_t i = 0; i < process->dumps; i++) {
        const struct hp_input_record *dump = dump_of(profile, process, i);
        rises &= dump->source == 0 && dump->identity.time > run->last;
        run->last = dump->identity.time;
        run->first = i == 0 ? run->last : run->first;
    }
    return rises && run->last - run->first >= least_seconds;
}

static int by_first(const void *left, const void *right) {
    const struct process_run *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

// Sort the processes by their first dump, and return whether two of them ran at the same
// time.
static bool overlap(struct runs *runs) {
    bool found = false;
    hp_vec_sort(&runs->of, by_first);
    for (size_t i = 1; i < runs->of.count; i++) {
        found |= runs->of.at[i].first <= runs->of.at[i - 1].last;
    }
    return found;
}

// Return whether all dumps are of one program and in one folder.  Call it last: each
// folder costs a system call.
static bool are_of_one_place(const struct hp_profile *profile, const struct runs *runs) {
    const struct hp_input_record *first = dump_of(profile, runs->of.at[0].process, 0);
    uint64_t folder = hp_input_folder(first);
    bool are = first->identity.program != 0;
    for (size_t i = 0; i < runs->of.count; i++) {
        const struct hp_process *process = runs->of.at[i].process;
        for (uint32_t k = 0; k < process->dumps && are; k++) {
            const struct hp_input_record *dump = dump_of(profile, process, k);
            are = dump->identity.program == first->identity.program &&
                  hp_input_folder(dump) == folder;
        }
    }
    return are;
}

struct hp_consecutive hp_consecutive_runs(const struct hp_profile *profile,
                                          bool is_base) {
    struct hp_consecutive found = {0};
    struct runs runs = {0};
    bool are = !profile->has_times && (is_base || profile->lone_inputs == 0) &&
               profile->processes.others == 0;
    const struct hp_process *process;
    hp_vec_each (process, &profile->processes.all) {
        struct process_run run;
        if (are && process->is_base == is_base) {
            are = find_run(profile, process, &run);
            hp_vec_push(&runs.of, run);
        }
    }
    if (are && runs.of.count > 1 && !overlap(&runs) && are_of_one_place(profile, &runs)) {
        found.count = runs.of.count;
        found.newest = runs.of.at[runs.of.count - 1].process->chosen;
    }
    hp_vec_done(&runs.of);
    return found;
}
