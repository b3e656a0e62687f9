// Reader of /proc/PID/smaps and smaps_rollup of Linux.
#ifndef HP_INPUT_SMAPS_H
#define HP_INPUT_SMAPS_H

#include "base/err.h"
#include "base/span.h"
#include "inputs/account.h"

// Whether a file that begins with `head` is of /proc/PID/smaps or smaps_rollup: whether
// its first line is a row of a memory map.
bool hp_smaps_is(struct hp_span head);

// Read a file, plain, gzip or zstd, into *maps, which must be {0}. The options say how
// large it may be and whether opening a FIFO waits.
HP_MUST_CHECK int hp_smaps_read(struct hp_kernel_maps *maps, const char *path,
                                const struct hp_read_options *options,
                                struct hp_err *err);

// Read a text in memory, as hp_smaps_read() reads a file. The text must be followed by a
// byte that is neither digit nor space.
HP_MUST_CHECK int hp_smaps_read_bytes(struct hp_kernel_maps *maps, struct hp_span text,
                                      struct hp_err *err);

#endif
