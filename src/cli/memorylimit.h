// Find how much memory this process may use: the limits of its container, of ulimit and
// of the machine.
#ifndef HP_CLI_MEMORYLIMIT_H
#define HP_CLI_MEMORYLIMIT_H

#include <stdint.h>

struct hp_cli_memory_limit {
    uint64_t bytes;     // 0: no limit is known
    const char *source; // the origin of the limit, for messages: "this container"
};

// Set `limit` to the smallest of all limits, less the memory of other processes in the
// container and a reserve.  All files are looked up below `root`; "" is the system's own
// root.
void hp_cli_memory_limit_find(const char *root, struct hp_cli_memory_limit *limit);

// Private writable memory of this process in bytes, which is what RLIMIT_DATA limits.
uint64_t hp_cli_memory_used(void);

#endif
