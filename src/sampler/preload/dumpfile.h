// Dumps in files: complete or absent.  Nothing here takes malloc() memory.
#ifndef HPS_PRELOAD_DUMPFILE_H
#define HPS_PRELOAD_DUMPFILE_H

#include "sampler/core/heapfile.h"

#include <limits.h>
#include <stdbool.h>

// A path that is put together.  {0} is empty.
struct hps_path {
    char text[PATH_MAX];
    size_t length;
    bool overlong; // and cut
};

void hps_path_text(struct hps_path *path, const char *text);
void hps_path_number(struct hps_path *path, uint64_t number);

// `pattern` with the process's number for each %p; where there is none, `.NUMBER` is added if
// `distinct`.
void hps_path_pattern(struct hps_path *path, const char *pattern, bool distinct);

// 0, or the errno of a failure, which is told on standard error.  For one thread at a time.
int hps_dumpfile_write(const struct hps_path *path, const struct hps_ledger *ledger,
                       struct hps_heapfile_options options);

#endif
