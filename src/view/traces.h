// A profile as its distinct stacks of names: stacks that differ only in addresses within
// functions are one here.
#ifndef HP_VIEW_TRACES_H
#define HP_VIEW_TRACES_H

#include "view/naming.h"

// Stands for a stack of which filters leave nothing.
#define HP_NO_TRACE UINT32_MAX

struct hp_trace {
    struct hp_values values;
    struct hp_error errors[HP_COLUMNS]; // where the profile has them
    const hp_node_id *nodes;            // leaf first
    uint32_t depth;
    bool truncated; // the last node is no root
};

struct hp_traces {
    struct hp_naming naming;
    struct hp_arena arena;
    HP_VEC(struct hp_trace) traces; // by name from the root, in byte order
    uint32_t *trace_of;             // of each stack, in that order, or HP_NO_TRACE
    struct hp_values total;         // of the profile
    struct hp_values left;          // by filters: of all traces
};

// options->by, all_frames and no_inlines are looked at.
void hp_traces_init(struct hp_traces *traces, const struct hp_profile *profile,
                    const struct hp_report_options *options);

// Largest first; ties keep the order they have.
void hp_traces_sort_by(struct hp_traces *traces, enum hp_metric metric);

void hp_traces_done(struct hp_traces *traces);

#endif
