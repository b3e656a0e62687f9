// What experimental.prof_recent.alloc_dump of jemalloc writes.
#ifndef HP_INPUT_PROF_RECENT_H
#define HP_INPUT_PROF_RECENT_H

#include "base/err.h"
#include "base/span.h"
#include "model/recent.h"

// Leaf first, in `addresses` of the file.
struct hp_recent_trace {
    size_t first;
    uint32_t depth;
};

// Records name its traces, each its own: no two are compared.
struct hp_recent_file {
    struct hp_recent recent;
    HP_VEC(struct hp_recent_trace) traces;
    HP_VEC(uint64_t) addresses;
};

void hp_recent_file_done(struct hp_recent_file *file);

// Read a file, plain, gzip or zstd, into *file, which is {0}; the options say how large it may be, and
// whether a FIFO is waited for.  hp_recent_file_done() also after a failure.
HP_MUST_CHECK int hp_prof_recent_read(struct hp_recent_file *file, const char *path,
                                      const struct hp_read_options *options,
                                      struct hp_err *err);

// The same of a text in memory.
HP_MUST_CHECK int hp_prof_recent_read_bytes(struct hp_recent_file *file,
                                            struct hp_span text, struct hp_err *err);

#endif
