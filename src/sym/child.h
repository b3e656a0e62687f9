// The process that reads binaries, so that what is wrong with one of them harms only it.
#ifndef HP_SYM_CHILD_H
#define HP_SYM_CHILD_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct hp_child {
    pid_t pid; // 0 when there is none
    int sock;
};

enum {
    HP_CHILD_SILENCE = 60,  // seconds without a word after which a child is given up
    HP_CHILD_NO_MEMORY = 2, // the exit status of a child that has run out of memory
};

// Start a child that runs `serve` on its socket; it has no other open file, no
// handlers of ours, and dies with us.  The caller must have only one thread.
HP_MUST_CHECK int hp_child_start(struct hp_child *child, void (*serve)(int sock),
                                 struct hp_err *err);

// Hang up, kill it if it does not go at once, and reap it.  Its wait status, or -1 if
// unknown.
int hp_child_stop(struct hp_child *child);

#endif
