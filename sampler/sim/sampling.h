// Sample a stream with jemalloc's sampler.
#ifndef HPS_SIM_SAMPLING_H
#define HPS_SIM_SAMPLING_H

#include "core/ledger.h"
#include "core/random.h"
#include "sim/stream.h"

// A sampled object.
struct hps_sampled {
    uint64_t size;
    uint32_t stack, thread;
    bool live; // alive after the last event
};

// A stream prepared for being sampled many times.
struct hps_sampling {
    const struct hps_stream *stream;
    uint32_t *runs;              // for each event: number of equal allocations from it on
    bool *live;                  // for each object: whether it is alive at the end
    struct hps_sampled *sampled; // result of the last draw
    size_t count;
};

// Prepare a stream, which must not change as long as `sampling` is used.
void hps_sampling_init(struct hps_sampling *sampling, const struct hps_stream *stream);
void hps_sampling_done(struct hps_sampling *sampling);

// Sample the stream once; the result is sampled[0 ... count - 1], in order of allocation.
void hps_sampling_draw(struct hps_sampling *sampling, uint64_t period,
                       struct hps_random *random);

// A source of the frames of stacks: `of` writes them to `frames`, leaf first, and returns
// their number.
enum {
    HPS_SAMPLING_DEPTH = 64,
};

struct hps_sampling_frames {
    uint32_t (*of)(const void *context, uint32_t stack,
                   uintptr_t frames[HPS_SAMPLING_DEPTH]);
    const void *context;
};

// Add the objects of the last draw to a ledger.  Sizes are not rounded up.
void hps_sampling_enter(const struct hps_sampling *sampling,
                        struct hps_sampling_frames frames, struct hps_ledger *ledger);

#endif
