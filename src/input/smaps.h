// /proc/PID/smaps and smaps_rollup of Linux.
#ifndef HP_INPUT_SMAPS_H
#define HP_INPUT_SMAPS_H

#include "base/err.h"
#include "base/span.h"
#include "model/account.h"

// Whether a file begins so.
bool hp_smaps_is(struct hp_span head);

// Read a file, plain, gzip or zstd, of `limit` bytes at most, 0 for the default, into *maps, which
// is {0}.
HP_MUST_CHECK int hp_smaps_read(struct hp_kernel_maps *maps, const char *path,
                                uint64_t limit, struct hp_err *err);

// The same of a text in memory, which is followed by a byte that is neither digit nor space.
HP_MUST_CHECK int hp_smaps_read_bytes(struct hp_kernel_maps *maps, struct hp_span text,
                                      struct hp_err *err);

#endif
