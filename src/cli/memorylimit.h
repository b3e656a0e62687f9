// How much memory there is for this process: of its container, by ulimit, of the machine.
#ifndef HP_CLI_MEMORYLIMIT_H
#define HP_CLI_MEMORYLIMIT_H

#include <stdint.h>

struct hp_cli_memory_limit {
    uint64_t bytes;     // 0: none is known
    const char *source; // "this container": whose limit it is
};

// The least of all limits, less what others in the container hold and what is kept free.  All files
// are looked for under `root`, "" for the system's own.
void hp_cli_memory_limit_find(const char *root, struct hp_cli_memory_limit *limit);

// What this process can write to and shares with nobody, in bytes: what RLIMIT_DATA limits.
uint64_t hp_cli_memory_used(void);

#endif
