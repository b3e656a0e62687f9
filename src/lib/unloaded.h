// Libraries that a process had unloaded before a dump was made, while live stacks still
// lead through them.  Other dumps of the process show what was mapped there.
//
// An address in no row of its dump is attributed to the code that all other dumps of the
// process have there.  If they disagree, or one has code of no file there, the address
// stays unmapped.
#ifndef HP_LIB_UNLOADED_H
#define HP_LIB_UNLOADED_H

#include "model/dump.h"
#include "model/profile.h"

// The rows of unloaded libraries.  Opaque.
struct hp_unloaded;

// Find the unloaded libraries of the used inputs by reading them again, at most `limit`
// bytes of each.  Returns NULL if there are none; else free the result with
// hp_unloaded_free().
struct hp_unloaded *hp_unloaded_find(const struct hp_profile *profile, uint64_t limit);
void hp_unloaded_free(struct hp_unloaded *unloaded); // NULL is fine

// Add the unloaded libraries of its process to the map of a dump.  `pid` is the process
// id in the name of the dump.
void hp_unloaded_place(struct hp_unloaded *unloaded, struct hp_dump *dump, uint64_t pid);

#endif
