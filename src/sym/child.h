// The child process that reads binaries, so that a malformed binary harms only this
// process.
#ifndef HP_SYM_CHILD_H
#define HP_SYM_CHILD_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct hp_child {
    pid_t pid;     // 0 when no child is running
    int sock;      // the parent's end of the socket
    uint64_t data; // bytes of data (RLIMIT_DATA) that it inherited when it was forked
};

enum {
    HP_CHILD_NO_MEMORY = 2, // exit status of a child that ran out of memory
    // Exit status of a child that lacks what HP_SANDBOX_REQUIRE asks for.
    HP_CHILD_NO_SANDBOX = 3,
};

// Start a child that runs `serve` on its socket, in a sandbox.  It has no other open
// files and no signal handlers of ours, and is killed when the parent dies.  A child that
// a thread other than the main one started ends only when it next writes to the socket of
// a dead parent.
HP_MUST_CHECK int hp_child_start(struct hp_child *child, void (*serve)(int sock),
                                 enum hp_sandbox sandbox, struct hp_err *err);

// How a child ended.
struct hp_child_end {
    int status;       // as from wait(), or -1 if unknown
    bool is_our_kill; // we killed it because it did not end by itself
    int64_t cpu;      // CPU time of its whole life, in nanoseconds
};

// Close the socket and reap the child.  With `heard` (it has answered or is gone) it gets
// about a quarter of a second to end by itself before it is killed; without `heard` it is
// killed at once.  No-op without a child.
struct hp_child_end hp_child_stop(struct hp_child *child, bool heard);

// The clock of the child's CPU time, and the time on it in nanoseconds.
clockid_t hp_child_clock(const struct hp_child *child);
int64_t hp_child_cpu(const struct hp_child *child);

// Limit the CPU time since the child's start to `until` nanoseconds, rounded up to
// seconds.
void hp_child_limit_cpu(const struct hp_child *child, int64_t until);

// If the parent's memory is limited, limit the child to what the parent has left, plus
// `files` bytes: mapped files count as memory of the child.  Does nothing in a
// program that is built with sanitizers.
void hp_child_limit_memory(const struct hp_child *child, uint64_t files);

#endif
