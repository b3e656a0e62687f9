// Named allocation streams: those of the table that compares samplers (statistics.md 7.3
// in the project's design), the two stacks of jemalloc's PROFILING_INTERNALS.md, and
// others on which intervals are tested.
#ifndef HPS_SIM_WORKLOAD_H
#define HPS_SIM_WORKLOAD_H

#include "sim/stream.h"

// A named stream.
struct hps_workload {
    const char *name;
    const char *summary; // one line for --help
    uint64_t period;     // mean bytes between samples for which it is designed
    const char *stacks;  // names of the stacks, separated by spaces
    // Fill in the stream, which is empty.
    void (*make)(struct hps_stream *stream);
    uint64_t interval; // bytes between samples at fixed distances: see struct hps_layout
    bool apart; // not in the table of statistics.md: evaluated only if asked for by name
};

// The table; a row without a name ends it.
extern const struct hps_workload hps_workloads[];

// Find a workload; NULL if none has this name.
const struct hps_workload *hps_workload_find(const char *name);

#endif
