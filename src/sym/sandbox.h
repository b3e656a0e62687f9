// The sandbox of a process that reads untrusted files.  An attacker who takes over the
// process has an address space, the files handed to it and a socket, and nothing else.
#ifndef HP_SYM_SANDBOX_H
#define HP_SYM_SANDBOX_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Drop all rights of this process irrevocably.  For a child with one thread that has
// opened all it needs.  False if `mode` requires a restriction that is not available.
bool hp_sandbox_enter(enum hp_sandbox mode);

// The restrictions that hp_sandbox_enter() could not apply, with reasons; "" for none.
const char *hp_sandbox_lack(void);

// The system call for opening files safely that the parent lacks, with the reason; "" if
// it lacks none.  The text is static.
const char *hp_sandbox_parent_lack(void);

// Whether this program, or the one it is linked into, is built with sanitizers or
// coverage, so that its system calls cannot be filtered.
bool hp_sandbox_is_instrumented(void);

// System calls that were refused since the last query, and the number of the first of
// them.
struct hp_refusals {
    uint32_t count;
    int first;
};

// Return the refusals since the last query, and reset them.
struct hp_refusals hp_sandbox_refusals(void);

// Store the name of the system call with a number, or "?".
void hp_sandbox_call_name(int number, char name[32]);

#endif
