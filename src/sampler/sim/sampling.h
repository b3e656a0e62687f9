// Streams through jemalloc's sampler.
#ifndef HPS_SIM_SAMPLING_H
#define HPS_SIM_SAMPLING_H

#include "sampler/core/ledger.h"
#include "sampler/core/random.h"
#include "sampler/sim/stream.h"

struct hps_sampled {
    uint64_t size;
    uint32_t stack, thread;
    bool live; // after the last event
};

// A stream made ready to be sampled many times.
struct hps_sampling {
    const struct hps_stream *stream;
    uint32_t *runs;              // of each event: equal allocations from it on
    bool *live;                  // of each object
    struct hps_sampled *sampled; // of the last draw
    size_t count;
};

// `stream` has to stay as it is.
void hps_sampling_init(struct hps_sampling *sampling, const struct hps_stream *stream);
void hps_sampling_done(struct hps_sampling *sampling);

// Sample the stream once: sampling->sampled[0 ... sampling->count - 1], in order.
void hps_sampling_draw(struct hps_sampling *sampling, uint64_t period,
                       struct hps_random *random);

// Where a stack's frames are: `depth` of them, leaf first, into `frames`.
enum {
    HPS_SAMPLING_DEPTH = 64,
};

struct hps_sampling_frames {
    uint32_t (*of)(const void *context, uint32_t stack,
                   uintptr_t frames[HPS_SAMPLING_DEPTH]);
    const void *context;
};

// Enter the last draw into a ledger.  Sizes are taken as they are.
void hps_sampling_enter(const struct hps_sampling *sampling,
                        struct hps_sampling_frames frames, struct hps_ledger *ledger);

#endif
