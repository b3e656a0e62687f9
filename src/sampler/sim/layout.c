#include "sampler/sim/layout.h"

#include "sampler/sim/horvitz.h"
#include "sampler/sim/resize.h"

#include <stdlib.h>

void hp_layout_init(struct hp_layout *layout, const struct hp_stream *stream,
                    uint64_t period) {
    uint32_t count = stream->objects;
    *layout = (struct hp_layout){
        .period = period,
        .stacks = stream->stacks,
        .sizes = hp_resize(NULL, count * sizeof *layout->sizes),
        .ends = hp_resize(NULL, count * sizeof *layout->ends),
        .slots = hp_resize(NULL, count * sizeof *layout->slots),
        .truths = hp_stream_truth(stream),
    };
    bool *live = hp_stream_live(stream);
    uint64_t end = 0;
    for (size_t i = 0; i < stream->count; i++) {
        const struct hp_event *event = &stream->events[i];
        if (event->size > 0) {
            uint32_t at = layout->count++;
            layout->sizes[at] = event->size;
            layout->ends[at] = end += event->size;
            layout->slots[at] = live[event->object] ? event->stack : stream->stacks;
            layout->walks += hp_inclusion(event->size, period);
        }
    }
    free(live);
}

void hp_layout_done(struct hp_layout *layout) {
    free(layout->sizes);
    free(layout->ends);
    free(layout->slots);
    free(layout->truths);
}
