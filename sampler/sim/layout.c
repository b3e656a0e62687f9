#include "sim/layout.h"

#include "sim/horvitz.h"
#include "sim/resize.h"

#include <stdlib.h>

void hps_layout_init(struct hps_layout *layout, const struct hps_stream *stream,
                     uint64_t period) {
    uint32_t count = stream->objects;
    *layout = (struct hps_layout){
        .period = period,
        .stacks = stream->stacks,
        .sizes = hps_resize(NULL, count * sizeof *layout->sizes),
        .ends = hps_resize(NULL, count * sizeof *layout->ends),
        .slots = hps_resize(NULL, count * sizeof *layout->slots),
        .truths = hps_stream_truth(stream),
    };
    bool *live = hps_stream_live(stream);
    uint64_t end = 0;
    for (size_t i = 0; i < stream->count; i++) {
        const struct hps_event *event = &stream->events[i];
        if (event->size > 0) {
            uint32_t at = layout->count++;
            layout->sizes[at] = event->size;
            layout->ends[at] = end += event->size;
            layout->slots[at] = live[event->object] ? event->stack : stream->stacks;
            layout->walks += hps_inclusion(event->size, period);
        }
    }
    free(live);
}

void hps_layout_done(struct hps_layout *layout) {
    free(layout->sizes);
    free(layout->ends);
    free(layout->slots);
    free(layout->truths);
}
