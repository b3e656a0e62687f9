// Dumps in files: complete or absent.  Nothing here takes malloc() memory.
#ifndef HP_SAMPLER_DUMPFILE_H
#define HP_SAMPLER_DUMPFILE_H

#include "sampler/core/heapfile.h"

#include <limits.h>
#include <stdbool.h>

// A path that is put together.  {0} is empty.
struct hp_path {
    char text[PATH_MAX];
    size_t length;
    bool overlong; // and cut
};

void hp_path_text(struct hp_path *path, const char *text);
void hp_path_number(struct hp_path *path, uint64_t number);

// `pattern` with the process's number for each %p; where there is none, `.NUMBER` is added if
// `distinct`.
void hp_path_pattern(struct hp_path *path, const char *pattern, bool distinct);

// 0, or the errno of a failure, which is told on standard error.  For one thread at a time.
int hp_dumpfile_write(const struct hp_path *path, const struct hp_ledger *ledger,
                      struct hp_heapfile_options options);

#endif
