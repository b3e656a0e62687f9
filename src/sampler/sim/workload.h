// Named allocation streams: those of the table that compares samplers (statistics.md 7.3 in
// the project's design), the two stacks of jemalloc's PROFILING_INTERNALS.md, and what else
// intervals are to hold.
#ifndef HPS_SIM_WORKLOAD_H
#define HPS_SIM_WORKLOAD_H

#include "sampler/sim/stream.h"

struct hps_workload {
    const char *name;
    const char *summary; // one line for --help
    uint64_t period;     // mean bytes between samples that it is meant for
    const char *stacks;  // names of the stacks, separated by spaces
    void (*make)(struct hps_stream *stream);
    uint64_t interval; // of samplers at fixed distances; 0: as many stack walks as others
    bool apart;        // not of that table: evaluated only when asked for by name
};

// Ends with a row without a name.
extern const struct hps_workload hps_workloads[];

// NULL if there is none of that name.
const struct hps_workload *hps_workload_find(const char *name);

#endif
