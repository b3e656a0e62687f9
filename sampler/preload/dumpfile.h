// Write dumps to files.  A file is complete or does not exist.  No function calls
// malloc().
#ifndef HPS_PRELOAD_DUMPFILE_H
#define HPS_PRELOAD_DUMPFILE_H

#include "core/heapfile.h"

#include <limits.h>
#include <stdbool.h>

// A path under construction.  {0} is empty.
struct hps_path {
    char text[PATH_MAX];
    size_t length;
    bool overlong; // the path was too long and is truncated
};

// Append text or a decimal number.
void hps_path_text(struct hps_path *path, const char *text);
void hps_path_number(struct hps_path *path, uint64_t number);

// Append `pattern`, with each %p replaced by the process id.  If there is no %p and
// `distinct` is true, append ".PID".
void hps_path_pattern(struct hps_path *path, const char *pattern, bool distinct);

// Write a dump of the ledger.  Returns 0, or the errno of a failure, after a message to
// standard error.  The function has static buffers: only one thread may call it at a
// time.
int hps_dumpfile_write(const struct hps_path *path, const struct hps_ledger *ledger,
                       struct hps_heapfile_options options);

// Write a dump of the ledger to an open file.  Returns 0, or the errno of a failure.  The
// function has static buffers, as the one above.
int hps_dumpfile_write_to(int fd, const struct hps_ledger *ledger,
                          struct hps_heapfile_options options);

#endif
