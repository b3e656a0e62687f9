// A simulated run of a program: the sequence of its allocations and frees.  It is the
// truth with which estimates are compared.
#ifndef HPS_SIM_STREAM_H
#define HPS_SIM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An allocation or a free.
struct hps_event {
    uint64_t time;                  // nanoseconds since the start, never decreasing
    uint64_t size;                  // bytes of a new object; 0: the object is freed
    uint32_t object, stack, thread; // numbers from 0
};

// A sequence of events.  {0} is an empty stream.
struct hps_stream {
    struct hps_event *events;
    size_t count, room;
    uint32_t objects, stacks, threads; // numbers of objects, stacks and threads
};

// Objects and bytes that are alive after the last event, and that were ever allocated.
struct hps_truth {
    uint64_t live_objects, live_bytes, ever_objects, ever_bytes;
};

void hps_stream_done(struct hps_stream *stream);

// Append an allocation, and return the number of the object.  Each event is one
// microsecond after the previous one.
uint32_t hps_stream_allocate(struct hps_stream *stream, uint32_t thread, uint32_t stack,
                             uint64_t size);
// Append a free.
void hps_stream_free(struct hps_stream *stream, uint32_t object);

// For each object: whether it is alive after the last event.  The caller frees the array.
bool *hps_stream_live(const struct hps_stream *stream);

// The truth of each stack.  The caller frees the array.
struct hps_truth *hps_stream_truth(const struct hps_stream *stream);

#endif
