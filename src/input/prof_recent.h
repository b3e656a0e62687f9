// Reader of the JSON that jemalloc's mallctl experimental.prof_recent.alloc_dump writes.
#ifndef HP_INPUT_PROF_RECENT_H
#define HP_INPUT_PROF_RECENT_H

#include "base/err.h"
#include "base/span.h"
#include "inputs/recent.h"

// A stack: `depth` elements of the file's `addresses` from `first` on, leaf first.
struct hp_recent_trace {
    size_t first;
    uint32_t depth;
};

// The records of a file and their stacks. The `alloc` and `free` of a record are indices
// in `traces`. Each record has traces of its own; equal traces are not merged.
struct hp_recent_file {
    struct hp_recent recent;
    HP_VEC(struct hp_recent_trace) traces;
    HP_VEC(uint64_t) addresses; // return addresses of all stacks
};

// Free what the file owns.
void hp_recent_file_done(struct hp_recent_file *file);

// Read a file, plain, gzip or zstd, into *file, which must be {0}. The options say how
// large it may be and whether opening a FIFO waits. Call hp_recent_file_done() also after
// a failure.
HP_MUST_CHECK int hp_prof_recent_read(struct hp_recent_file *file, const char *path,
                                      const struct hp_read_options *options,
                                      struct hp_err *err);

// Read a text in memory, as hp_prof_recent_read() reads a file.
HP_MUST_CHECK int hp_prof_recent_read_bytes(struct hp_recent_file *file,
                                            struct hp_span text, struct hp_err *err);

#endif
