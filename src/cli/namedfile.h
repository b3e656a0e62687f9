// Open files that options name: lists, rules and keys.  They follow the same rules as
// inputs.
#ifndef HP_CLI_NAMEDFILE_H
#define HP_CLI_NAMEDFILE_H

#include "hprof-agg/hprof-agg.h"

#include <sys/types.h>

// A file to open, and how messages describe it.
struct hp_cli_named_file {
    const char *path;
    const char *what; // the noun in messages: "list"
    bool waits;       // opening a FIFO waits for a process that writes to it
};

// Open the file for reading, see hp_open_input().  Returns the descriptor, or -1 and sets
// `err`.
int hp_cli_named_file_open(const struct hp_cli_named_file *file, struct hp_err *err);

// Read the first `room` bytes of the file.  Returns the number of bytes, or -1 and sets
// `err`.
ssize_t hp_cli_named_file_read(const struct hp_cli_named_file *file, char *bytes,
                               size_t room, struct hp_err *err);

#endif
