// What the kernel takes from a process that reads what others wrote, so that whoever gets
// hold of it has an address space, the files handed to it and a socket, and nothing else.
#ifndef HP_SYM_SANDBOX_H
#define HP_SYM_SANDBOX_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Give up all rights, for ever.  For a child of one thread that has opened all it needs.
// False if `mode` requires what cannot be had.
bool hp_sandbox_enter(enum hp_sandbox mode);

// Of a process that has entered: what it could not give up, "" for nothing.
const char *hp_sandbox_lack(void);

// Which of the parent's own means are missing, "" for none.
const char *hp_sandbox_parent_lack(void);

// Was this program, or what it is linked into, built so that it cannot filter calls (sanitizers,
// coverage)?
bool hp_sandbox_is_instrumented(void);

// Calls that were refused since this was asked last, and the number of the first of them.
struct hp_refusals {
    uint32_t count;
    int first;
};

struct hp_refusals hp_sandbox_refusals(void);

// The name of a call, or "?".
void hp_sandbox_call_name(int number, char name[32]);

#endif
