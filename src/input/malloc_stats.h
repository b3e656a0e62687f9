// What malloc_stats_print() of jemalloc writes as JSON.
#ifndef HP_INPUT_MALLOC_STATS_H
#define HP_INPUT_MALLOC_STATS_H

#include "base/err.h"
#include "base/span.h"
#include "model/account.h"

// Whether a file that begins so is to be read as statistics of an allocator, if only to be refused.
bool hp_malloc_stats_is(struct hp_span head);

// Read a file, plain, gzip or zstd, into *stats, which is {0}; the options say how large it may be, and
// whether a FIFO is waited for.  What is no such JSON is refused by what it is.
// hp_allocator_stats_done() also after a failure.
HP_MUST_CHECK int hp_malloc_stats_read(struct hp_allocator_stats *stats, const char *path,
                                       const struct hp_read_options *options,
                                       struct hp_err *err);

// The same of a text in memory.
HP_MUST_CHECK int hp_malloc_stats_read_bytes(struct hp_allocator_stats *stats,
                                             struct hp_span text, struct hp_err *err);

#endif
