#include "sim/sampling.h"

#include "core/sampler.h"
#include "sim/resize.h"

#include <stdio.h>
#include <stdlib.h>

// Whether two events are allocations of the same size, stack and thread, or both are
// frees.
static bool is_same(const struct hps_event *a, const struct hps_event *b) {
    return a->size == b->size && a->stack == b->stack && a->thread == b->thread;
}

void hps_sampling_init(struct hps_sampling *sampling, const struct hps_stream *stream) {
    *sampling = (struct hps_sampling){
        .stream = stream,
        .runs = hps_resize(NULL, stream->count * sizeof(uint32_t)),
        .live = hps_stream_live(stream),
        .sampled = hps_resize(NULL, stream->objects * sizeof(struct hps_sampled)),
    };
    for (size_t i = stream->count; i-- > 0;) {
        const struct hps_event *event = &stream->events[i];
        bool goes_on = i + 1 < stream->count && is_same(event, event + 1);
        sampling->runs[i] = goes_on ? sampling->runs[i + 1] + 1 : 1;
    }
}

void hps_sampling_done(struct hps_sampling *sampling) {
    free(sampling->runs);
    free(sampling->live);
    free(sampling->sampled);
}

// Start a sampler for each thread; the caller frees them.
static struct hps_sampler *start_threads(uint32_t threads, uint64_t period,
                                         struct hps_random *random) {
    struct hps_sampler *samplers = hps_resize(NULL, threads * sizeof *samplers);
    for (uint32_t i = 0; i < threads; i++) {
        struct hps_random own;
        hps_random_init(&own, hps_random_next(random));
        hps_sampler_init(&samplers[i], period, &own);
    }
    return samplers;
}

void hps_sampling_draw(struct hps_sampling *sampling, uint64_t period,
                       struct hps_random *random) {
    const struct hps_stream *stream = sampling->stream;
    struct hps_sampler *samplers = start_threads(stream->threads, period, random);
    sampling->count = 0;
    for (size_t i = 0; i < stream->count;) {
        uint32_t left = sampling->runs[i];
        const struct hps_event *event = &stream->events[i];
        if (event->size == 0) {
            i += left;
            continue;
        }
        struct hps_sampler *sampler = &samplers[event->thread];
        uint64_t passed = hps_sampler_pass(sampler, event->size, left);
        i += passed;
        event += passed;
        if (passed < left) {
            i++;
            if (hps_sampler_takes(sampler, event->size)) {
                sampling->sampled[sampling->count++] =
                    (struct hps_sampled){event->size, event->stack, event->thread,
                                         sampling->live[event->object]};
            }
        }
    }
    free(samplers);
}

void hps_sampling_enter(const struct hps_sampling *sampling,
                        struct hps_sampling_frames frames, struct hps_ledger *ledger) {
    uintptr_t addresses[HPS_SAMPLING_DEPTH];
    while (ledger->thread_count < sampling->stream->threads) {
        hps_ledger_new_thread(ledger, "");
    }
    for (size_t i = 0; i < sampling->count; i++) {
        const struct hps_sampled *sampled = &sampling->sampled[i];
        uint32_t depth = frames.of(frames.context, sampled->stack, addresses);
        struct hps_ledger_line *line =
            hps_ledger_line(ledger, ledger->threads[sampled->thread], addresses, depth);
        if (!line) {
            fputs("hprof-sim: out of memory\n", stderr);
            exit(1);
        }
        hps_ledger_add(ledger, line, sampled->size);
        if (!sampled->live) {
            hps_ledger_remove(ledger, line, sampled->size);
        }
    }
}
