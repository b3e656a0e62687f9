// The process that reads binaries, so that what is wrong with one of them harms only it.
#ifndef HP_SYM_CHILD_H
#define HP_SYM_CHILD_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct hp_child {
    pid_t pid; // 0 when there is none
    int sock;
    uint64_t data; // bytes that it had from us when it began
};

enum {
    HP_CHILD_NO_MEMORY = 2,  // the exit status of a child that has run out of memory
    HP_CHILD_NO_SANDBOX = 3, // of one that lacks what HP_SANDBOX_REQUIRE asks for
};

// Start a child that runs `serve` on its socket, in a sandbox; it has no other open file, no
// handlers of ours, and dies with us.  One that was started by another than the first thread dies when it
// next has something to say.
HP_MUST_CHECK int hp_child_start(struct hp_child *child, void (*serve)(int sock),
                                 enum hp_sandbox sandbox, struct hp_err *err);

// How a child ended.
struct hp_child_end {
    int status;       // as of wait(), or -1 if unknown
    bool is_our_kill; // it did not go by itself
    int64_t cpu;      // nanoseconds in all
};

// Hang up, kill it if it does not go at once (or before, if it is not to be `heard`), and
// reap it.
struct hp_child_end hp_child_stop(struct hp_child *child, bool heard);

// The clock of its CPU time, and what it says, in nanoseconds.
clockid_t hp_child_clock(const struct hp_child *child);
int64_t hp_child_cpu(const struct hp_child *child);

// So much CPU time may it use from its start, in nanoseconds, rounded up to seconds.
void hp_child_limit_cpu(const struct hp_child *child, int64_t until);

// Where our memory is limited: it may take what is left of that, and `files` bytes more,
// which are mapped and count as if they were its own.
void hp_child_limit_memory(const struct hp_child *child, uint64_t files);

#endif
