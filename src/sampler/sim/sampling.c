#include "sampler/sim/sampling.h"

#include "sampler/core/sampler.h"
#include "sampler/sim/resize.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_same(const struct hp_event *a, const struct hp_event *b) {
    return a->size == b->size && a->stack == b->stack && a->thread == b->thread;
}

void hp_sampling_init(struct hp_sampling *sampling, const struct hp_stream *stream) {
    *sampling = (struct hp_sampling){
        .stream = stream,
        .runs = hp_resize(NULL, stream->count * sizeof(uint32_t)),
        .live = hp_stream_live(stream),
        .sampled = hp_resize(NULL, stream->objects * sizeof(struct hp_sampled)),
    };
    for (size_t i = stream->count; i-- > 0;) {
        const struct hp_event *event = &stream->events[i];
        bool goes_on = i + 1 < stream->count && is_same(event, event + 1);
        sampling->runs[i] = goes_on ? sampling->runs[i + 1] + 1 : 1;
    }
}

void hp_sampling_done(struct hp_sampling *sampling) {
    free(sampling->runs);
    free(sampling->live);
    free(sampling->sampled);
}

static struct hp_sampler *start_threads(uint32_t threads, uint64_t period,
                                        struct hp_random *random) {
    struct hp_sampler *samplers = hp_resize(NULL, threads * sizeof *samplers);
    for (uint32_t i = 0; i < threads; i++) {
        struct hp_random own;
        hp_random_init(&own, hp_random_next(random));
        hp_sampler_init(&samplers[i], period, &own);
    }
    return samplers;
}

void hp_sampling_draw(struct hp_sampling *sampling, uint64_t period,
                      struct hp_random *random) {
    const struct hp_stream *stream = sampling->stream;
    struct hp_sampler *samplers = start_threads(stream->threads, period, random);
    sampling->count = 0;
    for (size_t i = 0; i < stream->count;) {
        uint32_t left = sampling->runs[i];
        const struct hp_event *event = &stream->events[i];
        if (event->size == 0) {
            i += left;
            continue;
        }
        struct hp_sampler *sampler = &samplers[event->thread];
        uint64_t passed = hp_sampler_pass(sampler, event->size, left);
        i += passed;
        event += passed;
        if (passed < left) {
            i++;
            if (hp_sampler_takes(sampler, event->size)) {
                sampling->sampled[sampling->count++] =
                    (struct hp_sampled){event->size, event->stack, event->thread,
                                        sampling->live[event->object]};
            }
        }
    }
    free(samplers);
}

void hp_sampling_enter(const struct hp_sampling *sampling,
                       struct hp_sampling_frames frames, struct hp_ledger *ledger) {
    uintptr_t addresses[HP_SAMPLING_DEPTH];
    while (ledger->thread_count < sampling->stream->threads) {
        hp_ledger_new_thread(ledger, "");
    }
    for (size_t i = 0; i < sampling->count; i++) {
        const struct hp_sampled *sampled = &sampling->sampled[i];
        uint32_t depth = frames.of(frames.context, sampled->stack, addresses);
        struct hp_ledger_line *line =
            hp_ledger_line(ledger, ledger->threads[sampled->thread], addresses, depth);
        if (!line) {
            fputs("hprof-sim: out of memory\n", stderr);
            exit(1);
        }
        hp_ledger_add(ledger, line, sampled->size);
        if (!sampled->live) {
            hp_ledger_remove(ledger, line, sampled->size);
        }
    }
}
