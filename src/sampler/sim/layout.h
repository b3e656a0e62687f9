// A stream as arrays in the order of allocation, for samplers that go through it often.  It
// allocates something.
#ifndef HPS_SIM_LAYOUT_H
#define HPS_SIM_LAYOUT_H

#include "sampler/sim/stream.h"

struct hps_layout {
    uint64_t period;   // mean bytes between samples, > 1
    uint64_t interval; // of samplers at fixed distances; 0: as many stack walks as others
    uint32_t count, stacks;
    uint64_t *sizes;          // of each object
    uint64_t *ends;           // bytes allocated up to and with each object
    uint32_t *slots;          // the stack of each object, `stacks` if it dies
    struct hps_truth *truths; // of each stack
    double walks;             // mean number of objects that geometric gaps sample
};

// The interval is 0; the caller may set another.
void hps_layout_init(struct hps_layout *layout, const struct hps_stream *stream,
                     uint64_t period);
void hps_layout_done(struct hps_layout *layout);

#endif
