// Reader of the JSON that jemalloc's malloc_stats_print() writes.
#ifndef HP_INPUT_MALLOC_STATS_H
#define HP_INPUT_MALLOC_STATS_H

#include "base/err.h"
#include "base/span.h"
#include "inputs/account.h"

// Whether a file that begins with `head` is to be read as statistics of an allocator.
// True also for other allocators and formats, which hp_malloc_stats_read() then refuses
// by name.
bool hp_malloc_stats_is(struct hp_span head);

// Read a file, plain, gzip or zstd, into *stats, which must be {0}. The options say how
// large it may be and whether opening a FIFO waits. A file of another kind is refused
// with a message that names its kind. Call hp_allocator_stats_done() also after a
// failure.
HP_MUST_CHECK int hp_malloc_stats_read(struct hp_allocator_stats *stats, const char *path,
                                       const struct hp_read_options *options,
                                       struct hp_err *err);

// Read a text in memory, as hp_malloc_stats_read() reads a file.
HP_MUST_CHECK int hp_malloc_stats_read_bytes(struct hp_allocator_stats *stats,
                                             struct hp_span text, struct hp_err *err);

#endif
