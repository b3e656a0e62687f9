// A simulated run of a program: what it allocates and frees, in order, and so the truth
// that every estimate is held against.
#ifndef HPS_SIM_STREAM_H
#define HPS_SIM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hps_event {
    uint64_t time;                  // ns since the start, never falling
    uint64_t size;                  // bytes of a new object; 0: the object is freed
    uint32_t object, stack, thread; // numbers from 0
};

// {0} is an empty stream.
struct hps_stream {
    struct hps_event *events;
    size_t count, room;
    uint32_t objects, stacks, threads; // how many numbers are in use
};

// What is alive after the last event, or was ever allocated.
struct hps_truth {
    uint64_t live_objects, live_bytes, ever_objects, ever_bytes;
};

void hps_stream_done(struct hps_stream *stream);

// A new object, its number.  Each event is one microsecond after the one before.
uint32_t hps_stream_allocate(struct hps_stream *stream, uint32_t thread, uint32_t stack,
                             uint64_t size);
void hps_stream_free(struct hps_stream *stream, uint32_t object);

// For each object, whether it is alive after the last event; for free().
bool *hps_stream_live(const struct hps_stream *stream);

// Of each stack; for free().
struct hps_truth *hps_stream_truth(const struct hps_stream *stream);

#endif
