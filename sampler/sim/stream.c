#include "sim/stream.h"

#include "sim/resize.h"

#include <stdlib.h>

void hps_stream_done(struct hps_stream *stream) {
    free(stream->events);
}

// A count that includes `number`, where numbers begin at 0.
static uint32_t more(uint32_t count, uint32_t number) {
    return number < count ? count : number + 1;
}

// Append an event, with its time.
static void append(struct hps_stream *stream, struct hps_event event) {
    if (stream->count == stream->room) {
        stream->room = stream->room ? 2 * stream->room : 1024;
        stream->events =
            hps_resize(stream->events, stream->room * sizeof *stream->events);
    }
    event.time = stream->count * 1000;
    stream->events[stream->count++] = event;
}

uint32_t hps_stream_allocate(struct hps_stream *stream, uint32_t thread, uint32_t stack,
                             uint64_t size) {
    uint32_t object = stream->objects++;
    stream->stacks = more(stream->stacks, stack);
    stream->threads = more(stream->threads, thread);
    append(stream, (struct hps_event){
                       .size = size, .object = object, .stack = stack, .thread = thread});
    return object;
}

void hps_stream_free(struct hps_stream *stream, uint32_t object) {
    append(stream, (struct hps_event){.object = object});
}

bool *hps_stream_live(const struct hps_stream *stream) {
    bool *live = hps_resize(NULL, stream->objects * sizeof *live);
    for (size_t i = 0; i < stream->count; i++) {
        live[stream->events[i].object] = stream->events[i].size > 0;
    }
    return live;
}

struct hps_truth *hps_stream_truth(const struct hps_stream *stream) {
    struct hps_truth *truths = hps_resize(NULL, stream->stacks * sizeof *truths);
    bool *live = hps_stream_live(stream);
    for (uint32_t i = 0; i < stream->stacks; i++) {
        truths[i] = (struct hps_truth){0};
    }
    for (size_t i = 0; i < stream->count; i++) {
        const struct hps_event *event = &stream->events[i];
        if (event->size == 0) {
            continue;
        }
        struct hps_truth *truth = &truths[event->stack];
        truth->ever_objects++;
        truth->ever_bytes += event->size;
        truth->live_objects += live[event->object];
        truth->live_bytes += live[event->object] ? event->size : 0;
    }
    free(live);
    return truths;
}
