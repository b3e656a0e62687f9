// A stream as arrays in the order of allocation, for methods that read it many times.
// The stream has at least one allocation.
#ifndef HPS_SIM_LAYOUT_H
#define HPS_SIM_LAYOUT_H

#include "sim/stream.h"

// The arrays.
struct hps_layout {
    uint64_t period; // mean bytes between samples, > 1
    // Bytes between samples of methods that sample at fixed distances; 0: such a method
    // chooses the distance with which it walks as many stacks as jemalloc's sampler.
    uint64_t interval;
    uint32_t count, stacks;   // number of objects and of stacks
    uint64_t *sizes;          // size of each object
    uint64_t *ends;           // bytes allocated up to and with each object
    uint32_t *slots;          // stack of each object; `stacks` if the object is freed
    struct hps_truth *truths; // truth of each stack
    double walks;             // mean number of objects sampled with geometric gaps
};

// Convert a stream; its interval is 0, and the caller may set another.
void hps_layout_init(struct hps_layout *layout, const struct hps_stream *stream,
                     uint64_t period);
void hps_layout_done(struct hps_layout *layout);

#endif
