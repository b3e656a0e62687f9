// Streams through jemalloc's sampler.
#ifndef HP_SAMPLER_SAMPLING_H
#define HP_SAMPLER_SAMPLING_H

#include "sampler/core/ledger.h"
#include "sampler/core/random.h"
#include "sampler/sim/stream.h"

struct hp_sampled {
    uint64_t size;
    uint32_t stack, thread;
    bool live; // after the last event
};

// A stream made ready to be sampled many times.
struct hp_sampling {
    const struct hp_stream *stream;
    uint32_t *runs;             // of each event: equal allocations from it on
    bool *live;                 // of each object
    struct hp_sampled *sampled; // of the last draw
    size_t count;
};

// `stream` has to stay as it is.
void hp_sampling_init(struct hp_sampling *sampling, const struct hp_stream *stream);
void hp_sampling_done(struct hp_sampling *sampling);

// Sample the stream once: sampling->sampled[0 ... sampling->count - 1], in order.
void hp_sampling_draw(struct hp_sampling *sampling, uint64_t period,
                      struct hp_random *random);

// Where a stack's frames are: `depth` of them, leaf first, into `frames`.
enum {
    HP_SAMPLING_DEPTH = 64,
};

struct hp_sampling_frames {
    uint32_t (*of)(const void *context, uint32_t stack,
                   uintptr_t frames[HP_SAMPLING_DEPTH]);
    const void *context;
};

// Enter the last draw into a ledger.  Sizes are taken as they are.
void hp_sampling_enter(const struct hp_sampling *sampling,
                       struct hp_sampling_frames frames, struct hp_ledger *ledger);

#endif
