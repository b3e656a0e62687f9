// Facts about a dump that the capture library wrote beside it: facts.json of a set.
#ifndef HP_LIB_SET_FACTS_H
#define HP_LIB_SET_FACTS_H

#include <stdbool.h>
#include <stdint.h>

// The facts of one set.  {0} has none.
struct hp_set_facts {
    // Hash of host, boot, program, process id and start time: equal in all sets of a
    // process, and in no others, although process ids repeat; never 0.
    uint64_t process;
    uint64_t parent;      // id of the process that it was forked from; 0: none
    uint64_t nanoseconds; // when the dump was made, since 1970; 0: unknown
    // When the dump was complete, in nanoseconds of the machine's CLOCK_MONOTONIC, as
    // jitdumps have them; 0: unknown.
    uint64_t monotonic;
};

// Read the facts of the set that contains a dump.  Returns false, with no facts, if the
// dump is in no set, or if the facts are damaged or those of another process id: 0 if the
// name of the dump has none.
bool hp_set_facts_read(struct hp_set_facts *facts, const char *dump, uint64_t pid);

#endif
