#include "sampler/sim/stream.h"

#include "sampler/sim/resize.h"

#include <stdlib.h>

void hp_stream_done(struct hp_stream *stream) {
    free(stream->events);
}

static uint32_t more(uint32_t count, uint32_t number) {
    return number < count ? count : number + 1;
}

static void append(struct hp_stream *stream, struct hp_event event) {
    if (stream->count == stream->room) {
        stream->room = stream->room ? 2 * stream->room : 1024;
        stream->events = hp_resize(stream->events, stream->room * sizeof *stream->events);
    }
    event.time = stream->count * 1000;
    stream->events[stream->count++] = event;
}

uint32_t hp_stream_allocate(struct hp_stream *stream, uint32_t thread, uint32_t stack,
                            uint64_t size) {
    uint32_t object = stream->objects++;
    stream->stacks = more(stream->stacks, stack);
    stream->threads = more(stream->threads, thread);
    append(stream, (struct hp_event){
                       .size = size, .object = object, .stack = stack, .thread = thread});
    return object;
}

void hp_stream_free(struct hp_stream *stream, uint32_t object) {
    append(stream, (struct hp_event){.object = object});
}

bool *hp_stream_live(const struct hp_stream *stream) {
    bool *live = hp_resize(NULL, stream->objects * sizeof *live);
    for (size_t i = 0; i < stream->count; i++) {
        live[stream->events[i].object] = stream->events[i].size > 0;
    }
    return live;
}

struct hp_truth *hp_stream_truth(const struct hp_stream *stream) {
    struct hp_truth *truths = hp_resize(NULL, stream->stacks * sizeof *truths);
    bool *live = hp_stream_live(stream);
    for (uint32_t i = 0; i < stream->stacks; i++) {
        truths[i] = (struct hp_truth){0};
    }
    for (size_t i = 0; i < stream->count; i++) {
        const struct hp_event *event = &stream->events[i];
        if (event->size == 0) {
            continue;
        }
        struct hp_truth *truth = &truths[event->stack];
        truth->ever_objects++;
        truth->ever_bytes += event->size;
        truth->live_objects += live[event->object];
        truth->live_bytes += live[event->object] ? event->size : 0;
    }
    free(live);
    return truths;
}
