// Files that the command line names besides the inputs: lists, rules, keys.  They are opened as inputs are.
#ifndef HP_CLI_NAMEDFILE_H
#define HP_CLI_NAMEDFILE_H

#include "hprof-agg/hprof-agg.h"

#include <sys/types.h>

struct hp_cli_named_file {
    const char *path;
    const char *what; // it is, in messages: "list"
    bool waits;       // for a process that writes to a FIFO
};

// Open it, see hp_open_input().  -1 after a failure.
int hp_cli_named_file_open(const struct hp_cli_named_file *file, struct hp_err *err);

// Read its first `room` bytes: how many there are, or -1.
ssize_t hp_cli_named_file_read(const struct hp_cli_named_file *file, char *bytes,
                               size_t room, struct hp_err *err);

#endif
